"""Names that a reader takes for one another, and what is different about them.

The letters are a short table of the common ones (the Unicode list of confusables has 6,000 entries,
a megabyte with its readers): Cyrillic, Greek, Armenian and Latin letters, digits and dashes. Full
width and other compatibility forms are found by NFKC. Nothing here decides whom a name stands for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

__all__ = [
    "INVISIBLE",
    "character_name",
    "difference",
    "is_invisible",
    "look_alike",
    "skeleton",
    "visible",
    "which_differs",
]

#: What stands for each letter in ``skeleton``: the first row looks like the second.
_LETTERS: Final = str.maketrans(
    "аеорсухіјѕһԁԛԝѵӏгАВЕЅІЈКМНОРСТУХ"  # noqa: RUF001 - Cyrillic
    "ανορυικγχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
    "օսհոզցյ"  # Armenian
    "ıɑɡɩIl|10"  # noqa: RUF001 - Latin, and digits
    "‐‑‒–—―−",  # noqa: RUF001 - dashes
    "aeopcyxijshdqwvlrABESljKMHOPCTYXavopuikyxcjABEZHlKMNOPTYXouhnqgjiagillllo-------",
)
#: Invisible characters of other categories than controls and format marks.
INVISIBLE: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
_MOST: Final = 64


def is_invisible(character: str) -> bool:
    """Whether a character is not seen on a screen and is no white space."""
    if character in "\t\n\v\f\r\x85":
        return False
    return unicodedata.category(character) in {"Cc", "Cf"} or character in INVISIBLE


def visible(text: str) -> str:
    """Return a text without its invisible characters."""
    return text if text.isascii() and text.isprintable() else "".join(_seen(text))


def _seen(text: str) -> Iterable[str]:
    return (character for character in text if not is_invisible(character))


def skeleton(name: str) -> str:
    """Return what is the same for all names that look alike; it is for comparing only."""
    seen = unicodedata.normalize("NFKC", visible(name[:_MOST]))
    return unicodedata.normalize("NFKC", seen.translate(_LETTERS).casefold())


def look_alike(name: str, known: Iterable[str]) -> str | None:
    """Return the first known name that looks like this one and is another, or None."""
    like = skeleton(name)
    alike = (other for other in known if skeleton(other) == like)
    return next((other for other in alike if other.lower() != name.lower()), None)


def difference(name: str, other: str) -> str | None:
    """Return in what two names that look alike differ, or None where they do not look alike.

    Case alone is no difference: a name is looked up without it.
    """
    if name.lower() == other.lower() or skeleton(name) != skeleton(other):
        return None
    mine, theirs = visible(name), visible(other)
    if mine.lower() == theirs.lower():
        hidden = next(c for c in (*name, *other) if is_invisible(c))
        return f"an invisible character, {character_name(hidden)}"
    mine, theirs = unicodedata.normalize("NFC", mine), unicodedata.normalize("NFC", theirs)
    if mine.lower() == theirs.lower():
        return "how accents are encoded"
    if mine.casefold() == theirs.casefold():
        return "letters that are the same only in upper case, as ß and ss"
    return f"a look-alike letter, {character_name(_other_letter(mine, theirs))}"


def which_differs(name: str, other: str) -> str:
    """Return the end of "did you mean OTHER" that a reader needs if both look the same, or nothing."""
    what = difference(name, other)
    return "" if what is None else f", which differs in {what}"


def _other_letter(mine: str, theirs: str) -> str:
    """Return the first letter that differs; of the two, the one that is not ASCII."""
    pairs = ((a, b) for a, b in zip(mine, theirs, strict=False) if a.lower() != b.lower())
    a, b = next(pairs, (mine[-1], theirs[-1]))
    return b if a.isascii() and not b.isascii() else a


def character_name(character: str) -> str:
    """Return what to call a character that cannot be shown: ``U+200B (ZERO WIDTH SPACE)``."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} ({name})" if name else f"U+{ord(character):04X}"
