"""A run of scenarios as JUnit XML, which every build server reads.

It holds no date and no host: but for how long each took, the same scenarios, named in the same
way, give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import dirname
from typing import Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attrs import frozen

from deskroom.render.text import printable

__all__ = ["Case", "junit_xml"]

#: What XML 1.0 cannot hold, and ``printable`` leaves.
_NO_XML: Final = re.compile("[\ufffe\uffff]")
_NAME: Final = "deskroom replay"
_ELEMENTS: Final = {"failed": "failure", "wrong": "error"}


@frozen(kw_only=True)
class Case:
    """One scenario: its path as it is to be shown, and the lines that say what was wrong.

    ``duration_s`` is how many seconds playing it took, which is not the time that it simulates.
    """

    path: str
    status: Literal["passed", "failed", "wrong"]
    lines: Sequence[str] = ()
    duration_s: float = 0


def junit_xml(cases: Sequence[Case]) -> str:
    """Return the XML document: one suite, one test case a scenario, in the order given."""
    counts = {
        "tests": len(cases),
        "failures": sum(case.status == "failed" for case in cases),
        "errors": sum(case.status == "wrong" for case in cases),
    }
    time = _seconds(sum(case.duration_s for case in cases))
    totals = {**{key: str(count) for key, count in counts.items()}, "skipped": "0", "time": time}
    root = Element("testsuites", {"name": _NAME, **totals})
    suite = SubElement(root, "testsuite", {"name": _NAME, **totals})
    for case in cases:
        _add(suite, case)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add(suite: Element, case: Case) -> None:
    path = _xml(case.path)
    attributes = {"classname": dirname(path) or ".", "name": path, "file": path}
    element = SubElement(suite, "testcase", {**attributes, "time": _seconds(case.duration_s)})
    if case.status == "passed":
        return
    lines = [_xml(line) for line in case.lines]
    problem = SubElement(element, _ELEMENTS[case.status], {"message": lines[0] if lines else ""})
    problem.text = "\n".join(lines)


def _seconds(duration_s: float) -> str:
    return f"{duration_s:.6f}"


def _xml(text: str) -> str:
    return _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", printable(text))
