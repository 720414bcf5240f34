"""The table of a run: each row, stub and turn without a row where it happened, and why.

It is made from a view of the run, so it holds nothing that its viewer may not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from attrs import frozen

from deskroom.core import Directory
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import table_lines, wrapped
from deskroom.render.text import printable, shortened
from deskroom.runs.notes import row_notes
from deskroom.runs.view import Routing, RunView, ViewItem, tells
from deskroom.runs.why import MOST_SCORES, scores_clause

__all__ = [
    "PRIVATE",
    "Mark",
    "Status",
    "next_name",
    "private_text",
    "routing_text",
    "run_table",
    "short_content",
    "sign",
    "styled_as",
]

PRIVATE: Final = "(private)"
_SHORT: Final = 240
#: On a screen narrower than this, three columns of text cannot be read side by side.
_NARROW: Final = 60
#: A sign, the same in ASCII, and its style.
_SIGNS: Final = {"passed": ("✓", "ok", "green"), "failed": ("✗", "FAIL", "red")}

Status = Literal["passed", "failed"]


@frozen(kw_only=True)
class Mark:
    """What to say of an item of a table: whether it is as expected, and lines that say more."""

    status: Status
    lines: tuple[str, ...] = ()


@frozen(kw_only=True)
class _Entry:
    """One row of the table, as text. ``status`` is that of its mark."""

    row: str = ""
    turn: str = ""
    who: str = ""
    what: str = ""
    following: str = ""
    status: Status | None = None


_HEADING: Final = _Entry(
    row="row", turn="turn", who="who → whom", what="what", following="next, and why"
)


def sign(status: Status, screen: Screen) -> str:
    """Return the sign for what passed or failed; ASCII where a screen has nothing else."""
    return _SIGNS[status][0 if screen.lines else 1]


def styled_as(text: str, status: Status | None, screen: Screen) -> str:
    """Return a text in the colour of what passed or failed."""
    return text if status is None else screen.styled(text, _SIGNS[status][2])


def run_table(
    view: RunView,
    screen: Screen = PLAIN,
    *,
    verbose: bool = False,
    marks: Mapping[int, Mark] | None = None,
    only: Sequence[range] | None = None,
) -> Iterator[str]:
    """Yield the lines of a table of what happened in a run, with who is next and why.

    ``verbose`` cuts no message, and adds what seats said outside their calls. ``marks`` are of
    items by their place in the view; with any, the table begins with a column of signs. ``only``
    are the ranges of items to show, in order; a line of dots stands for what is between them.
    """
    marks = marks or {}
    entries = list(_entries(view, marks, only, verbose=verbose))
    if screen.width < _NARROW:
        return _stacked(entries, screen)
    signs = [sign(entry.status, screen) if entry.status else "" for entry in entries]
    cells = [(e.row, e.turn, e.who, e.what, e.following) for e in (_HEADING, *entries)]
    if not any(signs):
        return table_lines(cells[0], cells[1:], screen, fixed=2)
    heading, *rows = [(mark, *line) for mark, line in zip(["", *signs], cells, strict=True)]
    styles = [_SIGNS[entry.status][2] if entry.status else None for entry in entries]
    return table_lines(heading, rows, screen, fixed=3, styles=styles)


def _entries(
    view: RunView, marks: Mapping[int, Mark], only: Sequence[range] | None, *, verbose: bool
) -> Iterator[_Entry]:
    for number, places in enumerate([range(len(view.items))] if only is None else only):
        if number:
            yield _Entry(what="…")
        for at in places:
            yield _entry(view.items[at], view, marks.get(at), verbose=verbose)


def _stacked(entries: Sequence[_Entry], screen: Screen) -> Iterator[str]:
    """Yield what the table says, the cells of a row below one another."""
    for entry in entries:
        numbers = [f"row {entry.row}"] if entry.row not in {"", "-"} else []
        numbers += [f"turn {entry.turn}"] if entry.turn else []
        head = " · ".join([*numbers, *filter(None, [entry.who.replace("\n", " ")])])
        if entry.status:
            head = f"{sign(entry.status, screen)} {head}"
        for line in wrapped(head, screen.width) if head else ():
            yield (
                styled_as(line, entry.status, screen)
                if entry.status
                else (screen.styled(line, "bold"))
            )
        for text in filter(None, (entry.what, entry.following)):
            yield from (f"  {line}" for line in wrapped(text, screen.width - 2))


def _entry(item: ViewItem, view: RunView, mark: Mark | None, *, verbose: bool) -> _Entry:
    lines = () if mark is None else mark.lines
    status = None if mark is None else mark.status
    turn = "" if item.turn is None else str(item.turn)
    if item.stub is not None:
        row, what, following = _stub_cells(item)
        turn = turn if item.hidden == 1 else ""
    elif item.row is None:
        row, (what, following) = "-", _turn_cells(item, view, verbose=verbose)
    else:
        row, following = str(item.sequence), _next(item, verbose=verbose)
        what = item.row.content if verbose else short_content(item, view.directory)
        what = _with_text(printable(what), item.text if verbose else "")
    return _Entry(
        row=row,
        turn=turn,
        who=_who(item),
        what=what,
        following="\n".join(filter(None, [following, *lines])),
        status=status,
    )


def short_content(item: ViewItem, directory: Directory | None = None) -> str:
    """Return what a row says, cut where it is long, but for the `@` that decided who is next.

    Where none did, the first `@` stays, for it is what the reason is about.
    """
    content = str(item.facts["content"])
    if len(content) <= _SHORT:
        return content
    if item.chosen is not None:
        before = content.encode("utf-8", "surrogatepass")[: item.chosen]
        return shortened(content, _SHORT, len(before.decode("utf-8", "ignore")))
    note = next(iter(row_notes(item, directory, limit=1)), None)
    return shortened(content, _SHORT, None if note is None else note.start)


def _stub_cells(item: ViewItem) -> tuple[str, str, str]:
    elided = item.stub.elided if item.stub else None
    assert elided is not None  # noqa: S101 - only stubs come here
    number = str(item.sequence)
    if elided.through != item.sequence:
        number += f"-{elided.through}"
    settled = elided.settled_at
    end = "not settled" if settled is None else f"settled at [{settled}]"
    return number, private_text(elided.messages), end


def private_text(messages: int) -> str:
    """Return what to show in place of messages that may not be read."""
    return PRIVATE if messages == 1 else f"(private, {messages} messages)"


def _turn_cells(item: ViewItem, view: RunView, *, verbose: bool) -> tuple[str, str]:
    outcome = item.facts["outcome"]
    replies = ", ".join(item.facts["replies"]) if tells(view.viewer, item.seat) else ""
    what = f"({outcome}) {replies}".strip()
    # Why a turn was refused is in its replies.
    why = "" if outcome == "refused" else printable(item.why or "")
    return _with_text(what, item.text) if verbose else what, why


def _with_text(what: str, text: str) -> str:
    return f"{what}\ntext: {printable(text)}" if text else what


def _who(item: ViewItem) -> str:
    author, audience = item.facts["author"], item.facts.get("audience")
    name = author.get("id") or author.get("kind") or author["type"]
    if audience is None:
        return printable(name)
    whom = audience if isinstance(audience, str) else ", ".join(audience)
    nudge = "\n(nudge)" if item.facts.get("kind") == "nudge" else ""
    return f"{printable(f'{name} → {whom}')}{nudge}"


def _next(item: ViewItem, *, verbose: bool) -> str:
    facts, name = item.facts, next_name(item)
    lines = ["completes"] if facts.get("completes") else []
    if facts.get("refusal"):
        lines.append(f"not private: {facts['refusal']}")
    if name is not None:
        lines.append(f"{name}: {printable(item.why or '')}")
    if item.routing is not None:
        lines.append(printable(routing_text(item.routing, most=None if verbose else MOST_SCORES)))
    return "\n".join(lines)


def next_name(item: ViewItem) -> str | None:
    """Return whom a row gives the turn to, or ``nobody``; None where that is no question."""
    if "next" not in item.facts:
        return None
    following = item.facts["next"]
    if isinstance(following, dict):
        return None if item.facts["kind"] == "wrote" else "nobody"
    name = ", ".join(following) if isinstance(following, list) else following
    return printable(name or "nobody")


def routing_text(routing: Routing, *, most: int | None = MOST_SCORES) -> str:
    """Return the scores that decided about a broadcast, the best ``most`` of them."""
    return scores_clause(routing.scores, routing.width, most=most)
