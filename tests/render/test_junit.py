from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from deskroom.render.junit import Case, junit_xml

CASES = [
    Case(path="a/good.toml", status="passed", duration_s=0.25),
    Case(path="failed.toml", status="failed", lines=["failed.toml:3: <one>", "failed.toml:4: two"]),
    Case(path="wrong.toml", status="wrong", lines=["wrong.toml: there is no such file"]),
]
XML = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites name="deskroom replay" tests="3" failures="1" errors="1" skipped="0" time="0.250000">
  <testsuite name="deskroom replay" tests="3" failures="1" errors="1" skipped="0" time="0.250000">
    <testcase classname="a" name="a/good.toml" file="a/good.toml" time="0.250000" />
    <testcase classname="." name="failed.toml" file="failed.toml" time="0.000000">
      <failure message="failed.toml:3: &lt;one&gt;">failed.toml:3: &lt;one&gt;
failed.toml:4: two</failure>
    </testcase>
    <testcase classname="." name="wrong.toml" file="wrong.toml" time="0.000000">
      <error message="wrong.toml: there is no such file">wrong.toml: there is no such file</error>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_each_scenario_is_a_test_case() -> None:
    """A mismatch is a failure and a wrong file an error, with the lines of the command line."""
    assert XML == junit_xml(CASES)


def test_no_scenario_is_no_test_case() -> None:
    """The suite is there all the same."""
    (suite,) = ET.fromstring(junit_xml([]))  # noqa: S314 - our own
    assert ("0", 0) == (suite.get("tests"), len(suite))


@given(st.text(st.characters()), st.lists(st.text(st.characters()), max_size=2))
def test_any_text_gives_xml_that_can_be_read(path: str, lines: list[str]) -> None:
    """Whatever a file is called and says."""
    case = Case(path=path, status="failed", lines=lines)
    (suite,) = ET.fromstring(junit_xml([case]).encode())  # noqa: S314 - our own
    assert ["failure"] == [element.tag for element in suite[0]]
