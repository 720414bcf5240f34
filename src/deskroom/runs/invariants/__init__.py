"""What holds in every run of the host, restated apart from the engine that must keep it.

The engine decides; here it is asked whether what it wrote down can be right. So a rule that was
dropped, a check that moved behind a row or a hop that was not counted shows in the first run that
needs it. The rules are read off scenarios.md and semantics.md once more, over the entries of a
journal, and share no code with the engine's decisions: only with the values that these are made of
and with core's reading of a mention.
"""

from deskroom.runs.invariants.rules import INVARIANTS, Broken
from deskroom.runs.invariants.watch import InvariantWatch

__all__ = ["INVARIANTS", "Broken", "InvariantWatch"]
