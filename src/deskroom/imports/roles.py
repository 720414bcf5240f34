"""Who speaks in messages that have a role and perhaps a name, and which of them are people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import define, field

from deskroom.imports.records import Speaker

__all__ = ["PROMPTS", "Roles"]

#: Roles of texts that are for a model, and put before nobody.
PROMPTS: Final = frozenset(("system", "developer"))
_USER: Final = "user"


@define
class Roles:
    """What one pass learns. A role without a name is its own speaker: ``user``, ``assistant``."""

    _named: dict[str, set[str]] = field(factory=dict)

    def speaker(self, name: str, role: str) -> Speaker:
        """Return the speaker of a message."""
        if not name:
            return Speaker(key=role, name=role, kind="person" if role == _USER else "agent")
        self._named.setdefault(name, set()).add(role)
        return Speaker(key=name, name=name, kind="unknown" if role == _USER else "agent")

    def people(self) -> Iterator[Speaker]:
        """Yield, at the end, those who have a name and spoke as ``user`` alone."""
        for name, roles in self._named.items():
            if roles == {_USER}:
                yield Speaker(key=name, name=name, kind="person")
