"""Run the README's Python as a test, and hold its output against the text below it.

pytest wants the plugins that the tests use named here, beside the rootdir's settings.
"""

from __future__ import annotations

import contextlib
import io

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

pytest_plugins = ["pytester"]


def _run(example: Example) -> None:
    """Run one block and keep what it printed for the text block that follows."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        PythonEvaluator()(example)
    example.namespace["printed"] = printed.getvalue()


def _same(example: Example) -> str | None:
    """Compare a text block with what the block before it printed."""
    expected, got = example.parsed.strip(), example.namespace["printed"].strip()
    return None if got == expected else f"expected:\n{expected}\n\ngot:\n{got}"


class _PythonBlocks(CodeBlockParser):
    language = "python"

    def evaluate(self, example: Example) -> None:
        _run(example)


class _TextBlocks(CodeBlockParser):
    language = "text"

    def evaluate(self, example: Example) -> str | None:
        return _same(example)


pytest_collect_file = Sybil(
    parsers=[_PythonBlocks(), _TextBlocks()], patterns=["README.md"]
).pytest()
