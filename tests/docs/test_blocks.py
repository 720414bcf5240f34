"""Every fenced block in ``README.md`` and ``docs/*.md`` is true: each is run or compared, in order.

A document has a folder of its own, with ``docs`` and ``scenarios`` in it. What a block is held
against depends on its language:

* ``toml``: an excerpt, line by line, of a file in ``docs/examples`` or ``scenarios``, or a whole
  scenario, which comes out as it says.
* ``console``: commands behind ``$``, each followed by everything that it prints; or one command
  without, which ``.ci/run`` runs as it stands. Of that one, only what ``deskroom`` does is run here.
* ``json``: an entry of a journal that a command of the document wrote; it may lack the digest.
* ``python``: is run, by pytest if it has tests in it.
* ``text``: what the Python block before it printed, or lines of what the command before it printed.
* ``ini``: is saved as ``pytest.ini``, for the commands that follow.
* ``mentions``: messages, and the verdict on each ``@`` in them: see ``docs/grammar.md``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import Factory, define, frozen

import deskroom
from deskroom.cli.main import _run
from deskroom.core import (
    Directory,
    DispatchPolicy,
    Note,
    Target,
    TurnFor,
    agent,
    explain_mentions,
    mention_dispatch,
    resolve,
)
from deskroom.render.replay import mismatch_line
from deskroom.scenario import load_desk, load_scenario, parse_scenario, replay_scenario

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
DOCUMENTS: Final = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
EXAMPLES: Final = sorted((DOCS / "examples").glob("*.toml"))
GRAMMAR_DESK: Final = DOCS / "examples" / "grammar.toml"

_BLOCK: Final = re.compile(
    r"^(?P<ticks>`{3,})(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
_MESSAGE: Final = re.compile(r"(?P<speaker>\w+)> ?(?P<text>.*)")
_SHELL: Final = re.compile(r"[|&;<>$()`]")
_CAME: Final = "\nand what comes is\n"
_ESCAPE: Final = re.compile(r"\\u([0-9a-f]{4})")


@frozen
class Block:
    """One fenced block and the line of its first fence."""

    language: str
    text: str
    line: int

    @classmethod
    def of(cls, document: Path) -> list[Block]:
        """Return the blocks of a document, in order."""
        text = document.read_text(encoding="utf-8")
        return [
            cls(found["language"], found["text"], text.count("\n", 0, found.start()) + 1)
            for found in _BLOCK.finditer(text)
        ]


@define
class Reader:
    """Somebody who follows a document from its top, in a folder of their own."""

    folder: Path
    exit_code: int = 0
    names: dict[str, Any] = Factory(dict)
    printed: str = ""
    is_printed_whole: bool = True

    def differs(self, block: Block) -> str | None:
        """Follow one block, and return how it is not true, or None."""
        match block.language:
            case "console":
                return self._console(block) if "$ " in block.text else self._ci_command(block)
            case "toml" if block.text.startswith("format = "):
                mismatches = replay_scenario(parse_scenario(block.text)).mismatches
                return "\n".join(map(mismatch_line, mismatches)) or None
            case "toml":
                return None if _is_excerpt(block.text) else "this is no excerpt of any file"
            case "json":
                return self._json(block)
            case "python" if "\ndef test_" in block.text:
                (self.folder / "test_page.py").write_text(block.text, encoding="utf-8")
                printed = self._run_in_shell("python -m pytest -q test_page.py")
                return printed if self.exit_code else None
            case "python":
                self.printed, self.is_printed_whole = self._python(block), True
                return None
            case "ini":
                (self.folder / "pytest.ini").write_text(block.text, encoding="utf-8")
                return None
            case "text" if self.is_printed_whole:
                return _difference(block.text, self.printed)
            case "text":
                missing = set(_lines(block.text)) - set(_lines(self.printed))
                return f"the command prints no such lines: {sorted(missing)}" if missing else None
            case "mentions":
                return _difference(_squeezed(block.text), _squeezed(_verdicts(block.text)))
            case _:
                return f"nobody checks a block of {block.language!r}"

    def _console(self, block: Block) -> str | None:
        shown = "".join(f"$ {command}\n{self._run(command)}" for command in _commands(block.text))
        return _difference(block.text, shown)

    def _ci_command(self, block: Block) -> str | None:
        command = block.text.strip()
        if command not in (ROOT / ".ci" / "run").read_text(encoding="utf-8"):
            return ".ci/run does not run this command"
        last = command.rpartition(" && ")[2]
        if last.startswith("deskroom "):
            self.printed, self.is_printed_whole = self._run(last), False
        return None

    def _run(self, command: str) -> str:
        """Run a command and return what it prints; ``deskroom`` alone needs no new process."""
        if command.startswith("deskroom ") and not _SHELL.search(command):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                self.exit_code = _run(shlex.split(command)[1:])
            return printed.getvalue()
        return self._run_in_shell(command)

    def _run_in_shell(self, command: str) -> str:
        # The shell that a reader types into keeps the exit code of the command before.
        # Nor does it tell a command behind which a pipe stands how wide the screen is, and without
        # being told `explain` breaks no line.
        width = {"COLUMNS": ""} if "deskroom explain" in command else {}
        done = subprocess.run(
            ["sh", "-c", f"(exit {self.exit_code}); {command}"],
            cwd=self.folder,
            env=os.environ | width,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.exit_code = done.returncode
        return done.stdout.decode()

    def _json(self, block: Block) -> str | None:
        shown = json.loads(block.text)
        lines = [
            json.loads(line)
            for journal in self.folder.glob("*.jsonl")
            for line in journal.read_text(encoding="utf-8").splitlines()
        ]
        told = [{k: v for k, v in line.items() if k in shown or k != "digest"} for line in lines]
        return None if shown in told else "this is no entry of any journal"

    def _python(self, block: Block) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, "<document>", "exec"), self.names)  # noqa: S102 - our own
        return printed.getvalue()


def _difference(written: str, came: str) -> str | None:
    """Return how two texts differ, but for white space that nobody sees."""
    shown, came = ("\n".join(_lines(text)) for text in (written, came))
    return None if shown == came else f"it says\n{shown}{_CAME}{came}"


def _commands(text: str) -> list[str]:
    return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]


def _is_excerpt(text: str) -> bool:
    files = [*EXAMPLES, *sorted((ROOT / "scenarios").rglob("*.toml"))]
    return any(f"\n{text}" in f"\n{file.read_text(encoding='utf-8')}" for file in files)


# --- messages and verdicts ---------------------------------------------------------------------


def _verdicts(text: str) -> str:
    """Return the messages of a block with what the core says of each."""
    return "\n\n".join(_read_message(part) for part in text.strip().split("\n\n"))


def _read_message(part: str) -> str:
    said = [found for line in part.splitlines() if (found := _MESSAGE.fullmatch(line))]
    message = "\n".join(_ESCAPE.sub(lambda e: chr(int(e[1], 16)), line["text"]) for line in said)
    desk = load_desk(GRAMMAR_DESK)
    directory, speaker = Directory(desk.roster(), desk.desks()), said[0]["speaker"]
    lines = [line[0] for line in said]
    lines += [_note(note) for note in explain_mentions(message, agent(speaker), directory)]
    decision = mention_dispatch(
        DispatchPolicy(),
        directory.roster,
        hop=0,
        author_id=speaker,
        mentions=resolve(message, None, agent(speaker), directory),
    )
    lines.append(f"next: {decision.target_id if isinstance(decision, TurnFor) else 'nobody'}")
    return "\n".join(lines)


def _note(note: Note) -> str:
    candidates = " or ".join(map(_target, note.candidates))
    return " ".join(
        [
            note.text,
            note.verdict,
            *([_target(note.target)] if note.target else []),
            *([candidates] if candidates else []),
            *([f"near @{note.nearest}"] if note.nearest else []),
        ]
    )


def _target(target: Target) -> str:
    return target.kind if target.id is None else f"{target.kind}:{target.id}"


def _squeezed(text: str) -> str:
    """Return a text without what only lines up its columns."""
    lines = (line if _MESSAGE.fullmatch(line) else " ".join(line.split()) for line in _lines(text))
    return "\n".join(lines)


def _lines(text: str) -> Iterator[str]:
    return (line.rstrip() for line in text.rstrip().splitlines())


# --- the tests ---------------------------------------------------------------------------------


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return somebody with the project's ``docs``, ``examples`` and ``scenarios`` and the ``deskroom`` command."""
    folder, programs = tmp_path / "room", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    for name in ("docs", "examples", "scenarios"):
        (folder / name).symlink_to(ROOT / name)
    for name, arguments in (("deskroom", "-m deskroom"), ("python", "")):
        program = programs / name
        line = f'exec "{sys.executable}" {arguments} "$@"'
        program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
    source = str(Path(deskroom.__file__).resolve().parents[1])
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    plain = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    # What a command prints must not depend on how the tests are run, nor on what is installed.
    plain |= {"PYTEST_ADDOPTS": "-p no:cacheprovider", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plain["PYTEST_PLUGINS"] = "deskroom.pytest_plugin"
    for name, value in {"PYTHONPATH": source, "PATH": path, **plain}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    return Reader(folder)


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_is_true(
    document: Path, reader: Reader, request: pytest.FixtureRequest
) -> None:
    """Read from the top, each block says what the program says.

    ``pytest tests/docs --deskroom-update`` writes what commands and Python print into the document.
    """
    text, wrong = document.read_text(encoding="utf-8"), []
    for block in Block.of(document):
        difference = reader.differs(block)
        if difference is not None:
            wrong.append(f"{document.relative_to(ROOT)}:{block.line}: {difference}")
            if _CAME in difference and block.language != "mentions":
                text = text.replace(block.text, difference.partition(_CAME)[2] + "\n")
    if request.config.getoption("--deskroom-update"):
        document.write_text(text, encoding="utf-8")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_passes(path: Path) -> None:
    """An example replays as it says, with no turn left over, and says where its schema is."""
    replay = replay_scenario(load_scenario(path), fail_on_unused=True)
    assert () == replay.mismatches
    first, *_ = path.read_text(encoding="utf-8").splitlines()
    assert "#:schema ../../schema/scenario.schema.json" == first


def test_every_example_is_told_of() -> None:
    """No example lies about unused: a document names each."""
    told = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    assert [] == [path.name for path in EXAMPLES if f"examples/{path.name}" not in told]


# --- the check itself --------------------------------------------------------------------------


SCENARIO: Final = 'format = 1\ntitle = "x"\nturn = [{ seat = "a", say = "x" }]\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n'


@pytest.mark.parametrize(
    "language, text, problem",
    [
        ("console", "$ deskroom --version\ndeskroom 99\n", "what comes is"),
        ("console", "$ deskroom replay nowhere.toml\n", "there is no such file"),
        ("toml", 'say = "in no file at all"\n', "this is no excerpt of any file"),
        ("toml", f"{SCENARIO}expect = {{ rows = 9 }}\n", "rows: expected 9, got 1"),
        ("console", "python -m pip install deskroom\n", ".ci/run does not run this command"),
        ("python", "\ndef test_it():\n    assert 1 == 2\n", "assert 1 == 2"),
        ("json", '{"kind":"close"}\n', "this is no entry of any journal"),
        ("text", "printed\n", "it says"),
        ("mentions", "lead> @solver go\n@solver masked\nnext: nobody\n", "next: solver"),
        ("sh", "ls\n", "nobody checks a block of 'sh'"),
    ],
)
def test_a_block_that_is_not_true_is_found(
    language: str, text: str, problem: str, reader: Reader
) -> None:
    """Each kind of block fails when it says something else than the program."""
    difference = reader.differs(Block(language, text, 1))
    assert difference is not None
    assert problem in difference


def test_lines_that_the_command_before_them_does_not_print_are_found(reader: Reader) -> None:
    """An excerpt of what the page's own command prints holds no line of another run."""
    command = "python -m pip install . && deskroom replay scenarios/run-28.toml\n"
    assert reader.differs(Block("console", command, 1)) is None
    assert reader.differs(Block("text", "closed: completed; unused: listed turn 7\n", 1)) is None
    assert "no such lines: ['closed: quiet']" in str(
        reader.differs(Block("text", "closed: quiet", 1))
    )


def test_a_reader_keeps_the_exit_code(reader: Reader) -> None:
    """``echo $?`` shows how the command before it ended, as in the reader's own shell."""
    block = Block("console", "$ deskroom replay -q scenarios/run-28.toml\n$ echo $?\n", 1)
    assert "and what comes is" in str(reader.differs(block))
    block = Block("console", "$ (exit 3)\n$ echo $?\n3\n", 1)
    assert reader.differs(block) is None
