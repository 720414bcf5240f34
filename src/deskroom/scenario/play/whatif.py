"""The same script under another policy: ``policy.dispatch.max_hops=2`` and the like.

What is set is read as the loader reads a policy, key by key, and judged by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

import attrs
from attrs import evolve, frozen

from deskroom.engine.policy import Policy
from deskroom.errors import FileError, UsageError
from deskroom.scenario.format.convert import convert
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.format.problems import Findings, did_you_mean, quoted
from deskroom.scenario.format.rules import Names, check_policy
from deskroom.scenario.format.toml import Document, parse_toml

__all__ = ["Setting", "changed_policy", "parse_setting", "with_settings"]

_TABLE: Final = "policy"


@frozen
class Setting:
    """One thing that is set: as it was given, and as the table of a file that holds only it.

    ``key`` has the parts of its key, whichever way they were quoted.
    """

    text: str
    document: Document
    policy: Policy
    key: tuple[str, ...]

    @property
    def value(self) -> Any:  # noqa: ANN401 - data of TOML
        """The value that was given, as data."""
        value: Any = self.document.data
        for part in self.key:
            value = value[part]
        return value


def parse_setting(text: str) -> Setting:
    """Read what is to be set, given as ``KEY=VALUE`` with a value in TOML.

    Raises ``UsageError`` for what is no key of the policy or no value of that key, with the
    nearest name.
    """
    key, equals, value = text.partition("=")
    if not equals:
        _refuse(text, f"found {quoted(text)}, expected KEY=VALUE")
    document, path = _document(text, key.strip(), value.strip())
    findings = Findings(document)
    policy = convert(findings, (_TABLE,), document.data[_TABLE], Policy).part
    if policy is None or findings:
        _refuse(text, findings.error().problem)
    return Setting(text, document, policy, path)


def with_settings(scenario: Scenario, settings: Iterable[Setting]) -> Scenario:
    """Return a scenario with another policy; the last setting of a key counts.

    Raises ``FileError`` where the policy names somebody who is not at the scenario's desk.
    """
    for setting in settings:
        policy = changed_policy(scenario.policy, [setting])
        findings = Findings(setting.document)
        check_policy(findings, policy, Names(scenario.desk))
        if findings:
            problem = f"--set {setting.text}: {findings.error().problem}"
            raise FileError(scenario.path, problem)
        scenario = evolve(scenario, policy=policy)
    return scenario


def changed_policy(policy: Policy, settings: Iterable[Setting]) -> Policy:
    """Return a policy with what is set in place of what it had; the last setting of a key counts.

    Whom it names is not looked at: that depends on the desk.
    """
    for setting in settings:
        policy = _merged(policy, setting.policy, setting.document.data[_TABLE])
    return policy


def _merged(before: Any, given: Any, stated: Mapping[str, Any]) -> Any:  # noqa: ANN401 - policies
    """Return a policy with what is stated in place of what it had."""
    changes = {}
    for name, value in stated.items():
        new = getattr(given, name)
        changes[name] = _merged(getattr(before, name), new, value) if attrs.has(type(new)) else new
    return evolve(before, **changes)


def _document(text: str, key: str, value: str) -> tuple[Document, tuple[str, ...]]:
    """Read the line that a file would hold, and the parts of its key.

    More than one key is no key, and no value either.
    """
    try:
        plain = parse_toml(f"{key} = 0")
    except FileError:
        plain = None
    if plain is None or list(_leaves(plain.data)) != [0]:
        what = "one key, such as policy.dispatch.max_hops"
        _refuse(text, f"found {quoted(key)}, expected {what}{_near(key)}")
    if _TABLE not in plain.data:
        what = "a key of the policy, such as policy.dispatch.max_hops"
        _refuse(text, f"found {quoted(key)}, expected {what}{_near(key)}")
    try:
        document = parse_toml(f"{key} = {value}", text)
    except FileError:
        hint = f"; a text needs quotes: '{key}={quoted(value)}'" if value else ""
        _refuse(text, f"found {quoted(value)}, expected a value in TOML{hint}")
    if _shape(document.data, plain.data) != plain.data:
        _refuse(text, f"found {quoted(value)}, expected one value in TOML")
    return document, tuple(_parts(plain.data))


def _parts(data: Any) -> Iterator[str]:  # noqa: ANN401 - data of TOML
    """Yield the parts of the one key that a text has."""
    while data != 0:
        ((part, data),) = data.items()
        yield part


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    else:
        yield value


def _shape(data: Any, like: Any) -> Any:  # noqa: ANN401 - data of TOML
    """Return the data with 0 in place of what stands where ``like`` has 0."""
    if like == 0:
        return 0
    if not isinstance(data, dict):
        return data
    return {name: _shape(value, like.get(name, {})) for name, value in data.items()}


def _near(key: str) -> str:
    keys = list(_keys(_TABLE, Policy()))
    inside = [known for known in keys if known.endswith(f".{key}")]
    return f"; did you mean {quoted(inside[0])}?" if inside else did_you_mean(key, keys)


def _keys(path: str, policy: Any) -> Iterator[str]:  # noqa: ANN401 - policies
    for attribute in attrs.fields(type(policy)):
        value = getattr(policy, attribute.name)
        key = f"{path}.{attribute.name}"
        if attrs.has(type(value)):
            yield from _keys(key, value)
        else:
            yield key


def _refuse(text: str, problem: str) -> NoReturn:
    raise UsageError(f"--set {text}: {problem}")
