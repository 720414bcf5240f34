"""What is legal and suspicious, gathered: each warning has its place, its key and its kind."""

from __future__ import annotations

from itertools import accumulate
from typing import Final, Literal

from attrs import frozen

from deskroom.scenario.format.position import KeyPath, Place, place_of
from deskroom.scenario.format.problems import MAX_PROBLEMS, key_text
from deskroom.scenario.format.toml import Document

__all__ = ["CheckWarning", "TooMany", "WarningKind", "Warnings"]

WarningKind = Literal[
    "unaddressable",
    "ambiguous_name",
    "look_alike",
    "no_mention",
    "refused_call",
    "blank_text",
    "retired_seat",
    "never_reached",
    "cannot_fail",
    "cannot_match",
    "expects_nothing",
    "no_effect",
]

#: What may open a string, the longer ones first.
_QUOTES: Final = ('"""', "'''", '"', "'")


@frozen
class CheckWarning:
    """One thing that is legal and suspicious.

    ``line`` and ``column`` are 1-based and count characters; ``key`` is written as in the file, with
    lists counted from 1: ``turn[4].say``. ``reason`` is a code for why, of a kind that has several.
    """

    path: str
    line: int
    column: int
    kind: WarningKind
    key: str
    problem: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: warning: {self.key}: {self.problem}"


class TooMany(Exception):
    """More was found than is of use."""


class Warnings:
    """The warnings about one document, gathered in any order.

    Adding one more than is of use raises ``TooMany``.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: list[CheckWarning] = []
        self._line_starts: list[int] | None = None

    def at_value(self, path: KeyPath, kind: WarningKind, problem: str, reason: str = "") -> None:
        """Add a warning about a value; about a missing key, at the table it is missing from."""
        self._add(path, kind, problem, reason, self._document.value_at(path))

    def at_key(self, path: KeyPath, kind: WarningKind, problem: str, reason: str = "") -> None:
        """Add a warning about a key that might as well not be there."""
        self._add(path, kind, problem, reason, self._document.key_at(path))

    def in_text(
        self, path: KeyPath, text: str, offset: int, kind: WarningKind, problem: str, reason: str
    ) -> None:
        """Add a warning about one character of a string, which is ``text``.

        Where an escape before it makes the file and the string differ, the place is that of the
        whole string.
        """
        place = self._document.value_at(path)
        self._add(path, kind, problem, reason, self._inside(place, text[: offset + 1]))

    def in_file_order(self) -> tuple[CheckWarning, ...]:
        """Return every warning; those at one place stay in the order they were found."""
        return tuple(sorted(self._found, key=lambda found: (found.line, found.column)))

    def _add(
        self, path: KeyPath, kind: WarningKind, problem: str, reason: str, place: Place
    ) -> None:
        if len(self._found) == MAX_PROBLEMS:
            raise TooMany
        at, key = self._document.path, key_text(path)
        self._found.append(
            CheckWarning(at, place.line, place.column, kind, key, problem, str(reason))
        )

    def _inside(self, place: Place, until: str) -> Place:
        text = self._document.text
        if self._line_starts is None:
            self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        start = self._line_starts[place.line - 1] + place.column - 1
        quote = next((mark for mark in _QUOTES if text.startswith(mark, start)), "")
        start += len(quote)
        if len(quote) > 1 and text.startswith("\n", start):
            start += 1
        if not until or not text.startswith(until, start):
            return place
        before = text[start : start + len(until)]
        last = place_of(before, len(before) - 1)
        first = place_of(text, start)
        column = last.column + (first.column - 1 if last.line == 1 else 0)
        return Place(first.line + last.line - 1, column)
