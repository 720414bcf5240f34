from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    AsidePolicy,
    Audience,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    Person,
    Roster,
    Target,
    agent,
    resolve,
)
from deskroom.errors import AsideRefused, DeskError, DeskroomError, RosterError
from deskroom.speech import (
    Broadcast,
    CommitRequest,
    Committed,
    CompleteEpisode,
    Dm,
    Post,
    Utterance,
    addressed_peers,
    commit_utterance,
    commit_utterance_to_room,
    is_private,
)

DIRECTORY = Directory(
    Roster(
        [Member("ada"), Member("bob"), Member("cy"), Member("x y"), Member("old")],
        [Person("sam", "Sam"), Person("bob", "Bobby")],
        ["old"],
    ),
    DeskSet([Desk("eng", "Eng", ["ada", "bob", "x y"])]),
)
OPEN = AsidePolicy(enabled=True, max_members=9, max_messages=9)
BOTH = pytest.mark.parametrize("commit", [commit_utterance, commit_utterance_to_room])


def request(utterance: Utterance, **changes: Any) -> CommitRequest:
    """Return a request by Ada on the general chat, with asides open."""
    asked = CommitRequest(
        utterance=utterance, speaker_id="ada", directory=DIRECTORY, desk_id=None, policy=OPEN
    )
    return evolve(asked, **changes)


def at(offset: int, id_: str, *, quiet: bool = False) -> Mention:
    """Return a mention of an agent at an offset."""
    return Mention(agent(id_), f"@{id_}", offset, quiet)


def said(utterance: Utterance, **changes: Any) -> Committed:
    """Return what becomes of an utterance by Ada."""
    return commit_utterance(request(utterance, **changes))


@pytest.mark.parametrize(
    "make,completes,broadcasts",
    [(Post, False, False), (Broadcast, False, True), (CompleteEpisode, True, False)],
)
def test_what_is_said_to_the_desk_is_a_desk_row(
    make: Any, completes: bool, broadcasts: bool
) -> None:
    """The content is the message as it is, its mentions those of the text."""
    assert said(make("@bob and @sam @ada")) == Committed(
        content="@bob and @sam @ada",
        audience=DESK,
        mentions=(at(0, "bob"), Mention(Target("person", "sam"), "@sam", 9)),
        completes_episode=completes,
        broadcasting=broadcasts,
    )


def test_an_address_is_a_field_and_not_text() -> None:
    """A dm names its recipients in order, by position, even an id that no text could hold."""
    assert said(Dm("look here", ["x y", "cy"])) == Committed(
        content="look here",
        audience=Audience("aside", ("x y", "cy")),
        mentions=(at(0, "x y"), at(1, "cy")),
    )


@pytest.mark.parametrize(
    "message,mentions",
    [
        ("no name", (at(0, "bob"), at(1, "cy"))),
        ("@cy first", (at(0, "cy"),)),
        ("@cy @bob @cy", (at(0, "cy"), at(4, "bob"), at(9, "cy", quiet=True))),
        ("@ada myself", (at(0, "bob"), at(1, "cy"))),
        ("@sam @here", (at(0, "bob"), at(1, "cy"))),
        ("`@cy`", (at(0, "bob"), at(1, "cy"))),
        ("@old", (at(0, "bob"), at(1, "cy"))),
        ("@sam @cy @here", (at(5, "cy"),)),
    ],
)
def test_the_text_of_a_dm_hands_on_the_turn_if_it_names_another_agent(
    message: str, mentions: tuple[Mention, ...]
) -> None:
    """Otherwise the address does; people and everyone are not told of a private word."""
    committed = said(Dm(message, ["bob", "cy"]))
    assert (committed.audience, committed.mentions) == (Audience("aside", ("bob", "cy")), mentions)


def test_a_dm_that_names_an_outsider_hands_the_turn_to_nobody_else() -> None:
    """Written mentions win over the address and are then cut to who may read."""
    committed = said(Dm("@cy knows", ["bob"]))
    assert (committed.audience, committed.mentions) == (Audience("aside", ("bob",)), ())


@pytest.mark.parametrize(
    "message", ["!aside @bob hm", "\n\u3000!aside @bob", "!asides @bob", "!aside@x @bob"]
)
def test_a_message_that_begins_with_the_marker_is_private(message: str) -> None:
    """White space before the marker does not matter, nor does what stands right behind it."""
    assert is_private(Post(message))
    assert said(Post(message)).audience == Audience("aside", ("bob",))
    assert said(Post(message)).content == message


@pytest.mark.parametrize(
    "message", ["x !aside @bob", "!Aside @bob", "\x1c!aside @bob", "! aside @bob"]
)
def test_the_marker_counts_only_as_it_is_and_at_the_start(message: str) -> None:
    """Anything else is said to the desk."""
    assert not is_private(Post(message))
    assert said(Post(message)).audience == DESK


def test_the_marker_makes_any_kind_of_utterance_private() -> None:
    """A completion or a broadcast under the marker stays what it is."""
    done = said(CompleteEpisode("!aside @bob"))
    sent = said(Broadcast("!aside @bob"))
    assert (done.audience, done.completes_episode) == (Audience("aside", ("bob",)), True)
    assert (sent.audience, sent.broadcasting) == (Audience("aside", ("bob",)), True)


def test_a_marked_message_is_to_whom_it_names() -> None:
    """Quiet repeats stay in the mentions, and people and desks do not."""
    committed = said(Post("!aside @bob @sam @#eng @bob @cy"))
    assert committed.audience == Audience("aside", ("bob", "cy"))
    assert committed.mentions == (at(7, "bob"), at(23, "bob", quiet=True), at(28, "cy"))


def test_a_person_with_a_members_id_is_not_that_member() -> None:
    """A private body's mentions keep agents only, by kind and not by id alone."""
    assert said(Post("!aside @bobby @bob")).mentions == (at(14, "bob"),)


def test_a_request_has_nothing_behind_it_unless_it_is_said() -> None:
    """By default asides are off, nothing was spent, nobody owes a word and there is no thread."""
    plain = CommitRequest(utterance=Post("m"), speaker_id="ada", directory=DIRECTORY, desk_id=None)
    assert (plain.policy, plain.spent, plain.unsettled) == (AsidePolicy(), 0, False)
    assert plain.thread_root is None


def test_a_dm_without_recipients_is_said_to_the_desk() -> None:
    """Nothing is addressed, so nothing is private; a marker still is."""
    assert not is_private(Dm("@bob", []))
    assert said(Dm("@bob", [])).mentions == (at(0, "bob"),)
    assert said(Dm("!aside @bob", [])).audience == Audience("aside", ("bob",))


REFUSALS: list[tuple[str, Utterance, dict[str, Any]]] = [
    ("disabled", Dm("m", ["bob"]), {"policy": AsidePolicy()}),
    ("source_inactive", Dm("m", ["bob"]), {"speaker_id": "old"}),
    ("author_not_on_desk", Dm("m", ["bob"]), {"speaker_id": "cy", "desk_id": "eng"}),
    ("target_inactive", Dm("m", ["old"]), {}),
    ("target_not_on_desk", Dm("m", ["cy"]), {"desk_id": "eng"}),
    ("self_only", Dm("m", ["ada"]), {}),
    ("no_audience", Post("!aside @ada"), {}),
    ("no_audience", Post("!aside @sam"), {}),
    ("audience_too_large", Dm("m", ["bob", "cy"]), {"policy": evolve(OPEN, max_members=1)}),
    ("thread_required", Dm("m", ["bob"]), {"policy": evolve(OPEN, require_thread=True)}),
    ("budget_spent", Dm("m", ["bob"]), {"spent": 9}),
    (
        "unsettled_aside",
        Dm("m", ["bob"]),
        {"policy": evolve(OPEN, must_surface=True), "unsettled": True},
    ),
]


@pytest.mark.parametrize("reason,utterance,changes", REFUSALS)
def test_a_refused_aside_becomes_nothing(
    reason: str, utterance: Utterance, changes: dict[str, Any]
) -> None:
    """The commit fails closed, with the reason."""
    with pytest.raises(AsideRefused) as caught:
        commit_utterance(request(utterance, **changes))
    assert caught.value.reason == reason


@pytest.mark.parametrize("reason,utterance,changes", REFUSALS)
def test_a_host_may_opt_into_publishing_what_was_refused(
    reason: str, utterance: Utterance, changes: dict[str, Any]
) -> None:
    """The row is then a desk row, which says why it is one."""
    committed = commit_utterance_to_room(request(utterance, **changes))
    assert (committed.audience, committed.refusal) == (DESK, reason)
    assert committed.content == utterance.message


def test_a_published_dm_still_names_its_recipients() -> None:
    """Who was to be addressed in private is addressed in public."""
    committed = commit_utterance_to_room(request(Dm("m", ["bob", "cy"]), policy=AsidePolicy()))
    assert committed.mentions == (at(0, "bob"), at(1, "cy"))


def test_the_desk_and_the_thread_are_those_of_the_request() -> None:
    """An aside on a desk goes to its members, and a thread satisfies a policy that asks for one."""
    policy = evolve(OPEN, require_thread=True)
    committed = said(Dm("m", ["bob"]), desk_id="Eng", thread_root=1, policy=policy)
    assert committed.audience == Audience("aside", ("bob",))


@BOTH
@pytest.mark.parametrize(
    "directory,error",
    [
        (Directory(Roster([Member("")]), DeskSet([Desk("", "")])), RosterError),
        (Directory(DIRECTORY.roster, DeskSet([Desk("", "")])), DeskError),
    ],
)
def test_only_a_private_utterance_meets_a_bad_directory(
    commit: Any, directory: Directory, error: type[DeskroomError]
) -> None:
    """A public one simply mentions nobody, and a switched-off policy is told first."""
    with pytest.raises(error):
        commit(request(Dm("@bob", ["bob"]), directory=directory))
    public = commit(request(Post("@bob"), directory=directory))
    assert public == Committed(content="@bob", audience=DESK, mentions=())
    off = request(Post("!aside @bob"), directory=directory, policy=AsidePolicy())
    assert commit_utterance_to_room(off).refusal == "disabled"


@pytest.mark.parametrize(
    "utterance,peers",
    [
        (Dm("@cy", ["bob", "ada", "bob", "ghost"]), ("bob", "ghost")),
        (Dm("@cy", []), ()),
        (Post("@cy @here @ada @sam `@bob` @cy @old"), ("cy",)),
        (Broadcast("@bob @cy"), ("bob", "cy")),
        (CompleteEpisode("nobody"), ()),
    ],
)
def test_peers_are_whom_an_utterance_speaks_to(
    utterance: Utterance, peers: tuple[str, ...]
) -> None:
    """A dm's recipients or the agents its text names, without the author and repeats."""
    assert addressed_peers(utterance, "ada", DIRECTORY) == peers


MESSAGES = st.lists(
    st.sampled_from(
        [
            "!aside",
            " ",
            "\n",
            "@bob",
            "@cy",
            "@ada",
            "@sam",
            "@here",
            "@old",
            "@#eng",
            "`",
            "x",
            "\ud800",
        ]
    ),
    max_size=12,
).map("".join)
IDS = st.lists(st.sampled_from(["ada", "bob", "cy", "x y", "old", "ghost"]), max_size=4)
UTTERANCES = st.one_of(
    st.builds(Post, MESSAGES),
    st.builds(Broadcast, MESSAGES),
    st.builds(CompleteEpisode, MESSAGES),
    st.builds(Dm, MESSAGES, IDS),
)
REQUESTS = st.builds(
    CommitRequest,
    utterance=UTTERANCES,
    speaker_id=st.sampled_from(["ada", "bob", "cy", "old"]),
    directory=st.just(DIRECTORY),
    desk_id=st.sampled_from([None, "eng", "nowhere"]),
    policy=st.builds(
        AsidePolicy,
        enabled=st.booleans(),
        max_members=st.integers(0, 3),
        max_messages=st.integers(0, 2),
        must_surface=st.booleans(),
    ),
    spent=st.integers(0, 2),
    unsettled=st.booleans(),
)


@given(REQUESTS)
def test_a_private_utterance_never_reaches_the_desk_unless_the_host_says_so(
    asked: CommitRequest,
) -> None:
    """It is an aside or it is refused; what is not private is a desk row."""
    published = commit_utterance_to_room(asked)
    if published.refusal is None:
        assert commit_utterance(asked) == published
        assert (published.audience.kind == "aside") == is_private(asked.utterance)
    else:
        with pytest.raises(AsideRefused) as caught:
            commit_utterance(asked)
        assert caught.value.reason == published.refusal
        assert (published.audience, is_private(asked.utterance)) == (DESK, True)


@given(REQUESTS)
def test_a_private_body_is_handed_only_to_who_is_admitted(asked: CommitRequest) -> None:
    """Every mention of an aside is an agent among its members, and so never the author."""
    committed = commit_utterance_to_room(asked)
    assert committed.content == asked.utterance.message
    if committed.audience.kind == "aside":
        targets = {mention.target for mention in committed.mentions}
        assert targets <= {agent(id_) for id_ in committed.audience.members}
        assert asked.speaker_id not in committed.audience.members


@given(REQUESTS)
def test_a_public_word_mentions_what_its_text_mentions(asked: CommitRequest) -> None:
    """Policy and budget do not change what is said to everyone."""
    if not is_private(asked.utterance):
        committed = commit_utterance(asked)
        written = resolve(committed.content, None, agent(asked.speaker_id), DIRECTORY)
        assert committed.mentions == written
