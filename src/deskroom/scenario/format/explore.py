"""How a file is explored: the ``[explore]`` table, as values.

Only ``deskroom explore``, a sweep and the pytest plugin look at it; each key is also an option of the
command, which then counts.
"""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import and_, ge, le, optional

__all__ = ["MOST_TURNS", "Explore"]

#: No run that is explored is longer.
MOST_TURNS = 10_000


@frozen(kw_only=True)
class Explore:
    """How many runs are explored, from which seed, and what varies in each.

    ``turns`` bounds the turns of one run. Each number below bounds how often one run has what it
    counts; with 0 it never happens. ``delays`` are turns that take time, also past their deadline;
    ``late`` are calls made twice or too late; ``kills`` end the process and resume the room;
    ``people`` is how often a person speaks in between; ``faults`` are seats that crash, are silent or
    are refused; ``scores`` are broadcasts with other scores. With ``talk`` what seats say is drawn,
    and the listed turns are left out. Without a ``seed`` the command draws one, and pytest takes 0.
    """

    runs: int = field(default=200, validator=ge(1))
    seed: int | None = field(default=None, validator=optional(ge(0)))
    talk: bool = False
    turns: int = field(default=40, validator=and_(ge(1), le(MOST_TURNS)))
    delays: int = field(default=2, validator=ge(0))
    late: int = field(default=2, validator=ge(0))
    kills: int = field(default=1, validator=ge(0))
    people: int = field(default=1, validator=ge(0))
    faults: int = field(default=2, validator=ge(0))
    scores: int = field(default=2, validator=ge(0))
