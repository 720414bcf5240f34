"""Chats of people: Slack, Discord, Telegram, WhatsApp and IRC, in the forms that the samples do not have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


# --- IRC ---------------------------------------------------------------------------------------

WEECHAT = (
    "2026-03-02 19:00:00\t-->\tzoe (~z@gw) has joined #kiln\n"
    "2026-03-02 19:01:00\t@zoe\travi: yours?\n"
    "2026-03-02 19:02:00\tRavi\tzoe, mine\n"
    "2026-03-02 19:03:00\t *\tzoe nods\n"
    "2026-03-02 19:04:00\t--\tRavi is now known as ravi2\n"
    "2026-03-02 19:05:00\t--\tMode #kiln [+o zoe] by ChanServ\n"
    "2026-03-02 19:06:00\travi2\tzoe: bye\n"
    "2026-03-02 19:07:00\t<--\travi2 (~r@gw) has quit (bye)\n"
)
ZNC = (
    "[19:00:00] *** Joins: zoe (~z@gw)\n"
    "[19:01:00] <zoe> ravi: yours?\n"
    "[19:02:00] <Ravi> zoe, mine\n"
    "[19:03:00] * zoe nods\n"
    "[19:04:00] *** Ravi is now known as ravi2\n"
    "[19:05:00] *** ChanServ sets mode: +o zoe\n"
    "[19:06:00] <ravi2> zoe: bye\n"
    "[19:07:00] *** Quits: ravi2 (~r@gw) (bye)\n"
)
HEXCHAT = (
    "**** BEGIN LOGGING AT Mon Mar  2 19:00:00 2026\n"
    "Mar 02 19:00:00 *\tzoe (~z@gw) has joined\n"
    "Mar 02 19:01:00 <zoe>\travi: yours?\n"
    "Mar 02 19:02:00 <Ravi>\tzoe, mine\n"
    "Mar 02 19:03:00 *\tzoe nods\n"
    "Mar 02 19:04:00 *\tRavi is now known as ravi2\n"
    "Mar 02 19:06:00 <ravi2>\tzoe: bye\n"
    "Mar 02 19:07:00 *\travi2 has quit (bye)\n"
)


@pytest.mark.parametrize("log, system", [(WEECHAT, 1), (ZNC, 1), (HEXCHAT, 1)])
def test_each_client_writes_the_same_talk(read_rows: Read, log: str, system: int) -> None:
    """A nick is one speaker whatever its case and its later names; news is counted."""
    read = read_rows(log)
    assert ("irc", ["zoe", "Ravi"]) == (read.format, read.seats)
    assert [
        ("zoe", "@Ravi: yours?"),
        ("Ravi", "@zoe, mine"),
        ("zoe", "nods"),
        ("Ravi", "@zoe: bye"),
    ] == read.rows
    assert {"joined or left": 2, "system": system} == read.left


def test_a_line_that_is_none_of_a_log_is_an_error(read_rows: Read) -> None:
    """A log has no line that goes on with another."""
    with pytest.raises(FileError, match="this is no line of a log"):
        read_rows(
            "".join(f"[19:0{at}] <a> hm\n" for at in range(9)) * 3 + "and so on\n", name="irc"
        )


# --- WhatsApp ----------------------------------------------------------------------------------

IOS = (
    "[3/2/26, 7:01:09 PM] Kiln club: \u200eMessages and calls are end-to-end encrypted.\n"
    "[3/2/26, 7:02:00 PM] Zoë: Who fires: tonight?\r\n"
    "\u200e[3/2/26, 7:03:00 PM] ~ Ravi K.: \u200eimage omitted\n"
    "[3/2/26, 7:04:00 PM] Zoë: \u200e<attached: 00000012-PHOTO.jpg>\n"
    "[3/2/26, 7:05:00 PM] ~ Ravi K.: \u200eYou deleted this message.\n"
    "[3/2/26, 7:06:00 PM] Zoë: @\u2068~ Ravi K.\u2069 yours \u200e<This message was edited>\n"
)


def test_an_iphone_writes_brackets_and_marks(read_rows: Read) -> None:
    """What the phone itself wrote has a mark that nobody sees; media stay as they are told."""
    read = read_rows(IOS)
    assert ("whatsapp", {"system": 1, "deleted": 1}) == (read.format, read.left)
    assert [
        ("Zoë", "Who fires: tonight?"),
        ("Ravi_K", "image omitted"),
        ("Zoë", "[file: 00000012-PHOTO.jpg]"),
        ("Zoë", "@Ravi_K yours"),
    ] == read.rows


@pytest.mark.parametrize(
    "stamp",
    [
        "3/2/26, 7:01\u202fPM - ",
        "02/03/2026, 19:01 - ",
        "2026-03-02, 19:01 - ",
        "02.03.26, 19:01 - ",
        "2/3/26 7:01 p. m. - ",
        "[02.03.26, 19:01:00] ",
        "[2026/03/02, 19:01:00] ",
    ],
)
def test_a_date_is_read_as_any_phone_writes_it(read_rows: Read, stamp: str) -> None:
    """It only marks where a message begins; the order is the file's."""
    read = read_rows(f"{stamp}Zoë: one\nand more\n{stamp}Ravi: two\n")
    assert [("Zoë", "one\nand more"), ("Ravi", "two")] == read.rows


def test_a_chat_is_found_in_the_zip_with_its_media(read_rows: Read, tmp_path: Path) -> None:
    """As a phone exports it with pictures."""
    with ZipFile(tmp_path / "chat.zip", "w") as archive:
        archive.writestr("_chat.txt", IOS)
        archive.writestr("00000012-PHOTO.jpg", b"\xff")
    assert 4 == len(read_rows(tmp_path / "chat.zip").rows)


# --- Telegram ----------------------------------------------------------------------------------


def telegram(text: object, **more: object) -> dict[str, object]:
    """Return a message as Telegram Desktop exports it."""
    by = {"from": "Zoë", "from_id": "user1"}
    return {"id": 1, "type": "message", "date": "2026-03-02T20:00:00", **by, "text": text, **more}


@pytest.mark.parametrize(
    "message, expected",
    [
        (telegram([{"type": "pre", "text": "a @b\n", "language": "py"}]), "```py\na @b\n```"),
        (telegram([{"type": "code", "text": "a `b`"}]), "`` a `b` ``"),
        (telegram([{"type": "text_link", "text": "x", "href": "http://y"}]), "x (http://y)"),
        (telegram([{"type": "bot_command", "text": "/start"}, " now"]), "/start now"),
        (telegram([{"type": "mention_name", "text": "Nobody", "user_id": 9}]), "Nobody"),
        (telegram("", file="files/a.pdf"), "[file: a.pdf]"),
        (
            telegram("", file="(File not included.)", media_type="voice_message"),
            "[file: voice message]",
        ),
        (telegram("", poll={"question": "When?", "answers": []}), "[poll: When?]"),
        (telegram("", location_information={"latitude": 1}), "[location]"),
    ],
)
def test_an_entity_is_put_back_as_it_was_meant(
    read_rows: Read, message: Any, expected: str
) -> None:
    """Code gets its backticks, a link its address; what is no text is told in brackets."""
    chat = {"name": "Kiln", "type": "private_group", "id": 1, "messages": [message]}
    assert [("Zoë", expected)] == read_rows(chat).rows


def test_an_account_has_many_chats(read_rows: Read) -> None:
    """One of them is named; two of one name are told apart by their ids."""
    chats = [
        {"name": name, "type": "personal_chat", "id": at, "messages": [telegram(f"in {at}")]}
        for at, name in enumerate(["Kiln", "Pot", "Pot"])
    ]
    account = {"about": "x", "chats": {"about": "y", "list": chats}}
    assert [("Zoë", "in 0")] == read_rows(account, room="Kiln").rows
    assert [("Zoë", "in 2")] == read_rows(account, room="Pot 2").rows
    with pytest.raises(FileError, match="Pot 1"):
        read_rows(account)


# --- Discord -----------------------------------------------------------------------------------


def discord(content: str, at: str, id_: str, **more: object) -> dict[str, object]:
    """Return a message as DiscordChatExporter writes it."""
    author = {"id": "1", "name": "zoe", "nickname": "Zoë", "isBot": False}
    stamp = f"2026-03-02T{at}"
    return {
        "id": id_,
        "type": "Default",
        "timestamp": stamp,
        "content": content,
        "author": author,
    } | more


def test_discord_is_sorted_by_time_whatever_its_zone(read_rows: Read) -> None:
    """Two of one moment go by their ids; marks that were not resolved are mentions too."""
    ravi = {"id": "2", "name": "ravi", "nickname": "Ravi"}
    messages = [
        discord("third", "19:00:00+00:00", "10"),
        discord("first, <@2>", "19:30:00+01:00", "11", mentions=[ravi]),
        discord("second", "19:00:00+00:00", "9", author=ravi),
        discord("", "21:00:00+00:00", "12", stickers=[{"name": "pot"}]),
        discord("look", "22:00:00+00:00", "13", attachments=[{"fileName": "a.png"}]),
        discord("", "23:00:00+00:00", "14", type="ThreadCreated"),
    ]
    read = read_rows({"guild": {}, "channel": {"name": "kiln"}, "messages": messages})
    assert [
        ("zoe", "first, @ravi"),
        ("ravi", "second"),
        ("zoe", "third"),
        ("zoe", "[sticker: pot]"),
        ("zoe", "look"),
    ] == read.rows
    assert {"file": 1, "system": 1} == read.left


# --- Slack -------------------------------------------------------------------------------------


def slack(text: str, ts: str, **more: object) -> dict[str, object]:
    """Return a message as Slack exports it."""
    return {"type": "message", "user": "U1", "text": text, "ts": ts, **more}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Return an export with two channels."""
    folder = tmp_path / "export"
    users = [{"id": "U1", "name": "zoe", "real_name": "Zoë"}, {"id": "U2", "name": "ravi"}]
    (folder / "kiln").mkdir(parents=True)
    (folder / "pots").mkdir()
    (folder / "users.json").write_text(json.dumps(users))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "kiln"}]))
    messages = [
        slack("later <#C1>", "20.000002", thread_ts="10.0"),
        slack("first &amp; <mailto:a@b|a@b>", "10.000100"),
        slack("as it was", "11.0"),
        {
            "type": "message",
            "subtype": "message_changed",
            "ts": "30.0",
            "message": slack("as it is", "11.0"),
        },
        slack("", "12.0", user="U2", attachments=[{"title": "Build", "text": "<@U1> passed"}]),
        slack(
            "",
            "13.0",
            blocks=[
                {
                    "type": "rich_text",
                    "elements": [
                        {
                            "type": "rich_text_section",
                            "elements": [
                                {"type": "user", "user_id": "U2"},
                                {"type": "text", "text": " hm"},
                            ],
                        }
                    ],
                }
            ],
        ),
        slack("gone", "14.0", subtype="tombstone"),
        slack("new topic", "15.0", subtype="channel_topic"),
        slack("see it", "16.0", files=[{"name": "a.png"}]),
    ]
    (folder / "kiln" / "2026-03-02.json").write_text(json.dumps(messages))
    (folder / "pots" / "2026-03-02.json").write_text(json.dumps([slack("elsewhere", "1.0")]))
    return folder


ROWS = [
    ("zoe", "first & a@b"),
    ("zoe", "as it is"),
    ("ravi", "Build\n@zoe passed"),
    ("zoe", "@ravi hm"),
    ("zoe", "see it"),
    ("zoe", "later #kiln"),
]


def test_slack_is_sorted_and_its_last_text_counts(read_rows: Read, export: Path) -> None:
    """Threads stand where they were sent; a message without text shows what stands beside it."""
    read = read_rows(export, room="kiln")
    assert ROWS == read.rows
    assert {"deleted": 1, "system": 1, "file": 1} == read.left
    with pytest.raises(FileError, match="kiln, pots"):
        read_rows(export)


def test_slack_comes_as_a_zip_and_as_one_day(read_rows: Read, export: Path, tmp_path: Path) -> None:
    """The zip may have a folder around it; of one day alone nobody's name is known."""
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        for path in sorted(export.rglob("*.json")):
            archive.write(path, f"works/{path.relative_to(export)}")
    assert ROWS == read_rows(tmp_path / "export.zip", room="kiln").rows
    day = read_rows(export / "kiln" / "2026-03-02.json")
    assert ("slack", "U1", 6) == (day.format, day.rows[0][0], len(day.rows))
