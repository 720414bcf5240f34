"""Objects as JSON, both ways, made from the declaration of a class. Reading is strict.

A ``Form`` is an attrs class as an object with a key for each field. A key that is missing is an
error and never a default (an absent audience must not quietly mean everyone), and so is one that
the form does not have, and a value of another type: ``true`` is no integer. Every error is a
``WireError`` with the path of the field.

A journal is read at the speed of this file. So a form compiles its two functions when they are
first used, as attrs does. The one that reads takes only what is right; what is wrong with
anything else, ``Form.careful`` finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Generic,
    Literal,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs

from deskroom.errors import UsageError, WireError
from deskroom.wire.codecs import (
    ANYTHING,
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    Codec,
    Json,
    List,
    Maybe,
    Word,
    read_field,
)

__all__ = ["Form", "OneOf", "form_of"]

T = TypeVar("T")


class Form(Generic[T]):
    """An object with a fixed set of keys, and what is made of their values.

    ``make`` gets the values in the order of ``codecs``. A key is also the name of the attribute
    that is written there, unless ``names`` has another. ``tag`` holds keys with a value that is
    always the same; they stand first, and whoever chose this form has looked at them.
    """

    noun = "an object"
    types = frozenset({dict})

    def __init__(
        self,
        make: Callable[..., T],
        codecs: Mapping[str, Codec],
        *,
        tag: Mapping[str, str | int] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._make = make
        self._codecs = codecs
        self._tag = tag or {}
        self._names = names or {}

    @cached_property
    def read(self) -> Callable[[Json], T]:
        """What reads an object. It raises ``WireError`` for one that is not exactly of this form."""
        read: Callable[[Json], T] = self._compiled("read", self._reader())
        return read

    @cached_property
    def write(self) -> Callable[[T], Json]:
        """What writes a value as an object."""
        write: Callable[[T], Json] = self._compiled("write", self._writer())
        return write

    def careful(self, value: Json) -> T:
        """Return what an object says, key by key, so that an error can name the first wrong one."""
        values = []
        for key, codec in self._codecs.items():
            if key not in value:
                raise WireError("is missing", path=key, code="missing")
            values.append(read_field(codec, value[key], key))
        for key in value:
            if key not in self._codecs and key not in self._tag:
                raise WireError("is not a field here", path=key, code="unknown")
        try:
            return self._make(*values)
        except (TypeError, ValueError, UsageError) as error:
            raise WireError(f"is not valid: {error.args[0]}") from None

    def _reader(self) -> str:
        tests = [f"len(value) == {len(self._codecs) + len(self._tag)}"]
        steps, made = [], []
        for at, (key, codec) in enumerate(self._codecs.items()):
            steps.append(f"        v{at} = value[{key!r}]")
            tests.append(_test(f"v{at}", codec.types))
            if isinstance(codec, Word):
                made.append(f"codecs[{key!r}].words[v{at}]")
            else:
                made.append(f"v{at}" if codec.read is None else f"codecs[{key!r}].read(v{at})")
        return "\n".join(
            [
                "def read(value):",
                "    try:",
                *steps,
                f"        if {' and '.join(filter(None, tests))}:",
                f"            return make({', '.join(made)})",
                "    except (KeyError, TypeError, ValueError, UsageError, WireError):",
                "        pass",
                "    return careful(value)",
            ]
        )

    def _writer(self) -> str:
        items = [f"{key!r}: {value!r}" for key, value in self._tag.items()]
        for key, codec in self._codecs.items():
            value = f"value.{self._names.get(key, key)}"
            step = value if codec.write is None else f"codecs[{key!r}].write({value})"
            items.append(f"{key!r}: {step}")
        return f"def write(value):\n    return {{{', '.join(items)}}}"

    def _compiled(self, name: str, source: str) -> Any:  # noqa: ANN401 - a function
        known = {"codecs": self._codecs, "make": self._make, "careful": self.careful}
        scope: dict[str, Any] = {**known, "UsageError": UsageError, "WireError": WireError}
        exec(source, scope)  # noqa: S102 - made of the keys of a class of ours
        return scope[name]


def _test(name: str, types: frozenset[type]) -> str:
    """Return the text of the test that a value is of one of some types."""
    if types == ANYTHING.types:
        return ""
    tests = [f"type({name}) is {kind.__name__}" for kind in types - {NoneType}]
    if NoneType in types:
        tests.append(f"{name} is None")
    return f"({' or '.join(sorted(tests))})"


def form_of(
    cls: type[T],
    *,
    make: Callable[..., T] | None = None,
    tag: Mapping[str, str | int] | None = None,
    names: Mapping[str, str] | None = None,
    **codecs: Codec,
) -> Form[T]:
    """Return the form of an attrs class: a key for each field that counts when it is compared.

    What may stand in a field is its annotation, unless ``codecs`` has its key; ``names`` holds a
    field's name for a key that is called otherwise.
    """
    keys = {name: key for key, name in (names or {}).items()}
    as_class: type[attrs.AttrsInstance] = cls  # type: ignore[assignment]
    fields = [field for field in attrs.fields(as_class) if field.init and field.eq]
    hints = get_type_hints(cls, localns=_NOT_WRITTEN)
    of_key = {}
    for field in fields:
        key = keys.get(field.name, field.name)
        of_key[key] = codecs.get(key) or _codec_of(hints[field.name])
    if make is None and any(field.kw_only for field in fields):
        order = [field.name for field in fields]
        make = lambda *values: cls(**dict(zip(order, values, strict=True)))  # noqa: E731
    return Form(make or cls, of_key, tag=tag, names=names)


#: Names in the annotations of fields that are not written; they need not be imported for that.
_NOT_WRITTEN: Final = {"Verdict": Any}

_PLAIN: Final[Mapping[object, Codec]] = {
    str: TEXT,
    int: INTEGER,
    float: NUMBER,
    bool: FLAG,
    Any: ANYTHING,
}


def _codec_of(hint: Any) -> Codec:  # noqa: ANN401 - an annotation
    """Return how a field of this type is written and read."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return Word(args)
    if origin is tuple:
        item = _codec_of(args[0])
        return List(item, "a list of strings" if item is TEXT else "a list of objects")
    if origin is UnionType:
        return Maybe(_codec_of(args[0]))
    if issubclass(hint, StrEnum):
        return Word(hint)
    return form_of(hint)


class Variant(Protocol):
    """One of the forms of an object."""

    @property
    def read(self) -> Callable[[Json], Any]:
        """What reads an object."""
        ...

    @property
    def write(self) -> Callable[[Any], Json]:
        """What writes a value as an object."""
        ...


class OneOf:
    """An object of one of several forms; ``key`` holds the word that says which.

    ``word_of`` gives the word of a value that is to be written.
    """

    noun = "an object"
    types = frozenset({dict})

    def __init__(
        self, key: str, forms: Mapping[str, Variant], word_of: Callable[[Any], str]
    ) -> None:
        self._key = key
        self._forms = forms
        self._word_of = word_of

    def read(self, value: Json) -> Any:  # noqa: ANN401 - what its forms make
        """Return what an object says. Raises ``WireError`` for one of none of the forms."""
        try:
            form = self._forms[value[self._key]]
        except (KeyError, TypeError):
            raise self._problem(value) from None
        return form.read(value)

    def _problem(self, value: Json) -> WireError:
        if self._key not in value:
            return WireError("is missing", path=self._key, code="missing")
        if type(value[self._key]) is not str:
            return WireError("must be a string", path=self._key, code="type")
        problem = f"must be one of {', '.join(self._forms)}"
        return WireError(problem, path=self._key, code="word")

    def write(self, value: Any) -> Json:  # noqa: ANN401 - as read
        """Return a value as an object."""
        return self._forms[self._word_of(value)].write(value)
