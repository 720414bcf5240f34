"""The tools of a seat, stated once, as data (semantics, section 7).

Every renderer and every parser walks ``tool_specs()``. Nothing else in the package states a
tool's name, description or parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Literal

from attrs import frozen

__all__ = [
    "BROADCAST",
    "COMPLETE_EPISODE",
    "DM",
    "OLD_NAMES",
    "POST",
    "READ",
    "READ_DEFAULT",
    "READ_MAX",
    "Parameter",
    "ToolSpec",
    "bare",
    "find_served",
    "find_tool",
    "served",
    "tool_spec",
    "tool_specs",
]

#: The bare names. A host serves each under its own namespace: see ``served``.
POST: Final = "post"
BROADCAST: Final = "broadcast"
DM: Final = "dm"
COMPLETE_EPISODE: Final = "complete_episode"
READ: Final = "read"

NAMESPACE: Final = "desk_"

READ_DEFAULT: Final = 20
READ_MAX: Final = 100


@frozen(kw_only=True)
class Parameter:
    """One argument of a tool. A default is given only where leaving it out means something."""

    name: str
    type: Literal["string", "strings", "integer"]
    description: str
    required: bool = True
    default: int | None = None


@frozen(kw_only=True)
class ToolSpec:
    """One tool: its bare name, what a seat is told of it, and its parameters in order."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    @cached_property
    def _by_name(self) -> Mapping[str, Parameter]:
        return {parameter.name: parameter for parameter in self.parameters}

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name, or None if the tool does not declare it."""
        return self._by_name.get(name)


#: Names that are still served for old callers, and never advertised.
OLD_NAMES: Final = {"close": COMPLETE_EPISODE}

_ONLY_CALLS: Final = (
    "Only what you put in a call is heard: text outside a call reaches nobody. "
    "If you call more than once in a turn, the last accepted call stands and the others are "
    "dropped, a completion included."
)
_HAND_ON: Final = (
    "The first @id of another seat in the message hands that seat the next turn, and only the "
    "first does; an @id inside code, or right behind a letter or a mark such as *, is not read."
)
_READERS_OF_A_DM: Final = (
    "Only they, the people of the desk and the operator can read it; every other seat sees that "
    "a message went by and not what it says."
)

_SPECS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec(
        name=POST,
        description=f"Say something to the whole desk. {_HAND_ON} {_ONLY_CALLS}",
        parameters=(
            Parameter(
                name="message",
                type="string",
                description="What to say, addressed with @id where a seat should go on.",
            ),
        ),
    ),
    ToolSpec(
        name=BROADCAST,
        description=(
            "Say something to the whole desk when you do not know who should take it up. The room "
            "picks the seats it suits best and gives each of them a turn and a new assignment; "
            f"an @id in the message hands on nothing here. {_ONLY_CALLS}"
        ),
        parameters=(
            Parameter(
                name="message", type="string", description="What to say, and what is needed."
            ),
        ),
    ),
    ToolSpec(
        name=DM,
        description=(
            f"Speak in private to the seats listed in `to`. {_READERS_OF_A_DM} The first of them "
            "gets the next turn, unless the message itself names another seat with @id: the first "
            "@id hands on the turn, and only to a seat that may read the message. The desk limits "
            f"private talk; a refused call publishes nothing and says why. {_ONLY_CALLS}"
        ),
        parameters=(
            Parameter(
                name="to",
                type="strings",
                description="The ids of the seats to speak to, in order, without yourself.",
            ),
            Parameter(name="message", type="string", description="What only they should read."),
        ),
    ),
    ToolSpec(
        name=COMPLETE_EPISODE,
        description=(
            "Say a last word to the whole desk and mark your own work as done. Call it last, when "
            "no open step is left for you: a message that is accepted after it in the same turn "
            "replaces it, and your work is not done then. The desk closes once its rule for "
            f"completion is met. {_HAND_ON} {_ONLY_CALLS}"
        ),
        parameters=(
            Parameter(
                name="message",
                type="string",
                description="The result, and who confirmed it.",
            ),
        ),
    ),
    ToolSpec(
        name=READ,
        description=(
            "Read the last entries of the transcript as you may see them. Reading says nothing "
            "and does not use up what you say this turn: text outside a call still reaches "
            "nobody, the first @id of your message still hands on the turn, and of your other "
            "calls the last accepted one stands, a completion included."
        ),
        parameters=(
            Parameter(
                name="limit",
                type="integer",
                description=(
                    f"How many entries to read, counted from the end: 1 to {READ_MAX}. A number "
                    "beyond is taken as the nearest of them."
                ),
                required=False,
                default=READ_DEFAULT,
            ),
        ),
    ),
)

_BY_NAME: Final = {spec.name: spec for spec in _SPECS}
_BY_SERVED_NAME: Final = {
    NAMESPACE + name: _BY_NAME[OLD_NAMES.get(name, name)] for name in (*_BY_NAME, *OLD_NAMES)
}


def served(name: str) -> str:
    """Return the name under which this room serves a tool to its seats."""
    return NAMESPACE + name


def bare(served_name: str) -> str | None:
    """Return the bare name behind a served one, or None for a name outside the namespace."""
    if not served_name.startswith(NAMESPACE):
        return None
    return served_name.removeprefix(NAMESPACE)


def find_tool(name: str) -> ToolSpec | None:
    """Return the tool with this bare name, or with this old name; None if none is served."""
    return _BY_NAME.get(OLD_NAMES.get(name, name))


def tool_spec(name: str) -> ToolSpec:
    """Return the tool with this bare name, which must be one."""
    return _BY_NAME[name]


def find_served(name: str) -> ToolSpec | None:
    """Return the tool that is served under this name, an old one included; None if none is."""
    return _BY_SERVED_NAME.get(name)


def tool_specs() -> tuple[ToolSpec, ...]:
    """Return every tool that is served, in the order in which it is advertised."""
    return _SPECS
