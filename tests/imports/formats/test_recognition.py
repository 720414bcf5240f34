"""Each sample is recognised as its own format and as no other; hostile JSON by none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskroom.errors import FileError, UsageError
from deskroom.imports.containers import open_source
from deskroom.imports.importer import Importer, importers, load_importer

SAMPLES = Path(__file__).parents[1] / "samples"
INPUTS = {
    f"{meta.parent.parent.name}/{meta.parent.name}": meta.parent
    / json.loads(meta.read_text())["input"].rstrip("/")
    for meta in sorted(SAMPLES.glob("*/*/meta.json"))
}
OURS = ("openai-chat", "autogen", "langchain", "text")


def known() -> dict[str, Importer]:
    """Return the importers that work."""
    found = {}
    for name, entry in importers().items():
        try:
            found[name] = load_importer(entry)
        except UsageError:
            continue
    return found


@pytest.mark.parametrize("case", INPUTS)
def test_no_other_importer_takes_a_sample_for_its_own(case: str) -> None:
    """Of those that are sure there is one at most, and it is the right one."""
    format_name, _, _ = case.partition("/")
    takes = []
    for name, importer in known().items():
        match = importer.sniff(open_source(str(INPUTS[case])))
        if match is not None and (match.sure or name == format_name):
            takes.append(name)
    assert takes == [format_name] or (not takes and format_name not in known())


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '[{"role": "user", "content": "a", "n": ' + "9" * 6000 + "}]",
        '[{"role": "user", "content": "a", "content": "b"}]',
        '{"agent_states": {"m": {"message_thread": [',
    ],
    ids=["deep", "digits", "twice", "cut"],
)
def test_hostile_json_ends_in_a_sentence_with_its_place(
    tmp_path: Path, name: str, text: str
) -> None:
    """Depth, digits, keys that stand twice and files that break off are errors of the file."""
    path = tmp_path / "input.json"
    path.write_text(text)
    source = open_source(str(path))
    importer = known()[name]
    if name == "text":
        assert importer.sniff(source) is None
        return
    with pytest.raises(FileError) as error:
        importer.sniff(source)
    assert error.value.kind in {"json", "cut"}
    assert error.value.line == 1
