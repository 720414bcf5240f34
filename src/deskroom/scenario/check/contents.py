"""Contents that no row can have, whatever a seat says: the host trims and bounds what is said."""

from __future__ import annotations

from deskroom.core.text import byte_length, is_blank, trim, trim_start
from deskroom.scenario.check.context import CheckContext, path_of
from deskroom.scenario.format.problems import quoted

__all__ = ["warn_of_contents"]


def warn_of_contents(context: CheckContext) -> None:
    """Warn of each expected ``content`` that can never match."""
    for turn in context.partial.turns:
        if turn.seat is None or turn.expect is None or turn.expect.content is None:
            continue
        why = _never(turn.expect.content, context.policy.max_message_bytes)
        if why is not None:
            problem = f"this can never match: {why}"
            context.warnings.at_value(path_of(turn, "expect", "content"), "cannot_match", problem)


def _never(content: str, max_bytes: int) -> str | None:
    """Return why no row has this content, or None where one may."""
    if is_blank(content):
        return "a blank message becomes no row"
    if content != trim(content):
        begins = content != trim_start(content)
        mark = content[0] if begins else content[-1]
        verb = "begins" if begins else "ends"
        return f"rows are trimmed, and this {verb} with {_name(mark)}"
    size = byte_length(content)
    if size > max_bytes:
        return f"it has {size} bytes, and a message may have {max_bytes}"
    return None


def _name(mark: str) -> str:
    return {"\n": "a new line", " ": "a space", "\t": "a tab"}.get(mark) or quoted(mark)
