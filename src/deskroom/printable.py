"""Text for people: safe on a terminal, whatever somebody put into it; and numbers of things.

A character that acts on a terminal, or that nobody can see, is written as an escape: controls,
format marks, halves of surrogate pairs, private characters, line and paragraph separators, fillers,
joiners and selectors. Some scripts and emoji cannot be read without joiners and selectors, so these
are kept, each in the one place where it belongs:

* ZWJ or ZWNJ behind a virama and before a letter (``क्‍ष``), and ZWJ between a consonant and a virama
  (``র‍্য``), in the scripts of India and those derived from them;
* ZWNJ between letters that would join without it (``می‌خواهم``), in Arabic and other cursive
  scripts. Between their other letters, ZWNJ and ZWJ change nothing that is seen: they are kept in
  plain text, which is typed with them, but not in a word from its ``@`` on, which may be a name;
* ZWJ between two emoji (``👩‍🚀``), behind the first of which VS16 or a skin tone may stand;
* a variation selector right behind a character that has such variants: VS15 and VS16 behind an
  emoji, VS16 in a keycap (``1️⃣``), VS1 behind a mathematical sign or a letter of the Myanmar,
  Phags-pa or Manichaean script, VS1 to VS3 and VS17 to VS256 behind a Chinese character, VS1 and VS2
  behind a stop that is centred or not, the Mongolian ones behind a Mongolian letter;
* the tags of the flags of England, Scotland and Wales. Tags behind any other flag are escaped: they
  can spell a message that nobody sees.

Everything else stays an escape: a joiner in a Latin word, at the edge of a word, beside a space, an
``@`` or another joiner. What is kept depends on visible neighbours only, so text that is printable
is not changed by being made printable again. U+2800, the blank of Braille, is as wide as a space and
is kept as one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from deskroom.lookalike import INVISIBLE

__all__ = ["control_in", "counted", "one_line", "printable", "printable_characters", "quoted"]

#: Controls, format marks and surrogates could move the cursor or turn the line around.
_UNSAFE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
#: Characters of other categories that nobody can see.
_UNSEEN: Final = INVISIBLE - {"\u2800"}
_HAS_UNSEEN: Final = re.compile(f"[{''.join(sorted(_UNSEEN))}]")
#: Joiners, selectors and tags: what is kept in its place.
_HAS_JOINER: Final = re.compile(
    "[\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
#: Format marks that turn the line around; others, such as a joiner, may belong to a name.
_TURNING: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)

#: The flags that are an emoji: England, Scotland and Wales.
_FLAGS: Final = ("gbeng", "gbsct", "gbwls")


def _tags(region: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"


_CURSIVE: Final = (
    r"[\p{L}&&[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Phag}\p{sc=Mani}"
    r"\p{sc=Adlm}\p{sc=Rohg}\p{sc=Sogd}\p{sc=Phlp}\p{sc=Chrs}\p{sc=Ougr}\u0640]]"
)
_INDIC: Final = r"[\p{InSC=Consonant}\p{InSC=Consonant_Dead}\p{InSC=Vowel_Independent}]"
#: Marks that can be seen.
_MARKS: Final = r"[\p{M}--[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180f\u034f\u17b4\u17b5]]*"
_BELONGS: Final = "|".join(
    (
        rf"(?<={_INDIC}{_MARKS}\p{{ccc=9}}{_MARKS})[\u200c\u200d](?={_INDIC})",
        rf"(?<={_INDIC}{_MARKS})\u200d(?=\p{{ccc=9}}{_INDIC})",
        rf"(?<=[\p{{jt=D}}\p{{jt=L}}]{_MARKS})\u200c(?={_MARKS}[\p{{jt=D}}\p{{jt=R}}])",
        r"(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})",
        r"(?<=\p{ExtPict})[\ufe0e\ufe0f]",
        r"(?<=[0-9#*])\ufe0f(?=\u20e3)",
        r"(?<=\p{UIdeo})[\ufe00-\ufe02\U000e0100-\U000e01ef]",
        r"(?<=[\p{Sm}--[\x00-\x7f]])\ufe00",
        r"(?<=[\p{L}&&[\p{sc=Mymr}\p{sc=Phag}\p{sc=Mani}]])\ufe00",
        r"(?<=[\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f])[\ufe00\ufe01]",
        r"(?<=[\p{L}&&\p{sc=Mong}])[\u180b-\u180d\u180f]",
        rf"(?<=\U0001f3f4)(?:{'|'.join(map(_tags, _FLAGS))})",
    )
)
#: A word from its ``@`` on is passed over.
_HARMLESS: Final = (
    rf"@[^\t\n\p{{Zs}}]*+(*SKIP)(*FAIL)|(?<={_CURSIVE}{_MARKS})[\u200c\u200d](?={_CURSIVE})"
)


def printable(text: str) -> str:
    """Return ``text`` with everything a terminal would act on, or nobody would see, as an escape.

    Line ends stay, and a tab is four spaces. The rule for joiners and selectors is this module's.
    """
    lines_only = text.replace("\n", "")
    if lines_only.isprintable() and (text.isascii() or not _HAS_UNSEEN.search(text)):
        return text
    return "".join(_characters(text))


def printable_characters(text: str) -> list[str]:
    """Return each character of ``text`` as ``printable`` writes it."""
    return list(_characters(text))


def _characters(text: str) -> Iterator[str]:
    kept = _kept(text) if _HAS_JOINER.search(text) else frozenset()
    return (character if at in kept else _printable(character) for at, character in enumerate(text))


def _kept(text: str) -> frozenset[int]:
    """Return where the joiners, selectors and tags stand that print as they are."""
    found = (match.span() for pattern in _patterns() for match in pattern.finditer(text))
    return frozenset(at for start, end in found for at in range(start, end))


@cache
def _patterns() -> tuple[Any, ...]:
    import regex  # noqa: PLC0415 - few texts need what takes long to load

    return tuple(regex.compile(pattern, regex.VERSION1) for pattern in (_BELONGS, _HARMLESS))


def _printable(character: str) -> str:
    if character == "\n" or not _is_unsafe(character):
        return character
    if character == "\t":
        return "    "
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in _UNSAFE or character in _UNSEEN


def one_line(text: str) -> str:
    """Return ``text`` as ``printable`` does, with its line ends written as escapes too."""
    return printable(text).replace("\n", "\\n")


def quoted(text: str) -> str:
    """Return ``text`` in quotes, as ``repr`` writes it, but with the joiners that belong to it."""
    if text.isascii():
        return repr(text)
    quote = '"' if "'" in text and '"' not in text else "'"
    inner = text.replace("\\", "\\\\").replace("\t", "\\t").replace(quote, f"\\{quote}")
    return f"{quote}{one_line(inner)}{quote}"


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: ``1 turn``, ``2 turns``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def control_in(name: str) -> str | None:
    """Return the first character that no id may hold, for it acts on a terminal, or None."""
    if name.isascii() and name.isprintable():
        return None
    return next((c for c in name if _is_control(c)), None)


def _is_control(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
