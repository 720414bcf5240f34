"""The pictures of the docs show the page as it is now. No pixel is compared: fonts differ."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "pictures"


@pytest.fixture
def script() -> dict[str, Any]:
    """Return the names of the script that makes the pictures."""
    return runpy.run_path(str(FOLDER / "make.py"))


def test_the_pictures_are_of_the_page_as_it_is(script: dict[str, Any]) -> None:
    """Once the page, its run or the script changes: python docs/pictures/make.py, and look at them."""
    assert script["made_from"]() == (FOLDER / "made-from.txt").read_text().strip()


def test_each_picture_is_there_and_shown(script: dict[str, Any]) -> None:
    """None is left over, and none is larger than a page should be."""
    names = {f"{picture[0]}.png" for picture in script["PICTURES"]}
    assert names == {path.name for path in FOLDER.glob("*.png")}
    text = (DOCS / "reading-a-run.md").read_text()
    assert set() == {name for name in names if f"](pictures/{name})" not in text}
    assert 200_000 > max((FOLDER / name).stat().st_size for name in names)
