"""Checking one file: its errors, and the warnings that they leave room for."""

from __future__ import annotations

import os
from contextlib import suppress

from attrs import frozen

from deskroom.errors import FileError
from deskroom.scenario.check.contents import warn_of_contents
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.check.forecast import forecast_turns
from deskroom.scenario.check.mentions import warn_of_mentions
from deskroom.scenario.check.names import warn_of_names
from deskroom.scenario.check.no_effect import (
    warn_of_expectations,
    warn_of_no_expectation,
    warn_of_policy,
)
from deskroom.scenario.check.properties import warn_of_properties
from deskroom.scenario.check.turns import warn_of_turns
from deskroom.scenario.check.unreachable import warn_of_unreachable
from deskroom.scenario.check.warning import CheckWarning, TooMany, Warnings
from deskroom.scenario.format.load import PartialScenario, read_partial
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.format.toml import Document, parse_toml, read_toml

__all__ = ["Checked", "check_document", "check_scenario", "check_text"]


@frozen
class Checked:
    """What is wrong with a scenario, and what is suspicious, each in file order."""

    path: str
    errors: tuple[FileError, ...] = ()
    warnings: tuple[CheckWarning, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether there are no errors and no warnings."""
        return not self.errors and not self.warnings


def check_scenario(path: str | os.PathLike[str]) -> Checked:
    """Check a file. What is wrong with it is returned, never raised."""
    try:
        document = read_toml(path)
    except FileError as error:
        return Checked(os.fspath(path), (error,))
    return check_document(document)


def check_text(text: str, path: str = "<text>") -> Checked:
    """Check a text; ``path`` is what errors and warnings call it."""
    try:
        document = parse_toml(text, path)
    except FileError as error:
        return Checked(path, (error,))
    return check_document(document)


def check_document(document: Document) -> Checked:
    """Check a TOML file that was read. So many errors or warnings are enough for one file."""
    try:
        partial = read_partial(document)
    except ScenarioError as error:
        return Checked(document.path, error.problems)
    errors = partial.findings.error().problems if partial.findings else ()
    return Checked(document.path, errors, _warnings(partial, errors))


def _warnings(partial: PartialScenario, errors: tuple[FileError, ...]) -> tuple[CheckWarning, ...]:
    """Return the warnings about whatever no error leaves in doubt."""
    warnings = Warnings(partial.document)
    if partial.desk is None:
        return ()
    context = CheckContext(partial, partial.desk, warnings)
    if not context.directory.is_valid:
        return ()
    with suppress(TooMany):
        warn_of_names(context)
        warn_of_mentions(context)
        if not any(_is_about(error, "policy") for error in errors):
            forecasts = forecast_turns(context)
            warn_of_policy(context)
            warn_of_turns(context, forecasts)
            warn_of_expectations(context)
            warn_of_contents(context)
            if not errors:
                warn_of_no_expectation(context)
                warn_of_unreachable(context, forecasts)
                warn_of_properties(context)
    return warnings.in_file_order()


def _is_about(error: FileError, table: str) -> bool:
    key = getattr(error, "key", "")
    return key == table or key.startswith(f"{table}.")
