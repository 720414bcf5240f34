"""A transcript as lines for a person to read, in colour where there is any."""

from __future__ import annotations

from rich.text import Text

from deskroom.core import SeenRow
from deskroom.engine.sentences import seen_line
from deskroom.render.text import printable

__all__ = ["transcript_line"]

_STYLES = {"agent": "cyan", "person": "green", "operator": "green", "system": "dim"}


def transcript_line(seen: SeenRow) -> Text:
    """Return one entry; a stub is dim, an aside is in italics, a name has its author's colour.

    Only an entry begins at the left edge, so that a message of several lines can feign no other.
    """
    line = printable(seen_line(seen)).replace("\n", "\n    ")
    if seen.elided is not None:
        return Text(line, style="dim")
    head, _, content = line.partition(": ")
    style = "italic" if seen.audience.kind == "aside" else ""
    return Text.assemble((head, _STYLES[seen.author.type]), ": ", (content, style))
