"""The browser itself: what the tests beside this one stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_tab_shows_a_file(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    """A page is opened from the disk, and its text is there."""
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><title>A</title><p>here</p>")
    assert "here" == open_tab(file).page.inner_text("p")


def test_the_scripts_run_in_a_page(
    open_tab: Callable[..., Any], script: Callable[[str], str], tmp_path: Path
) -> None:
    """Those that other tests put into their pages can be loaded."""
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><title>A</title><p>here</p>")
    page = open_tab(file).page
    page.evaluate(script("axe"))
    page.add_script_tag(content=script("mermaid"))
    assert ["object", "object"] == page.evaluate("[typeof axe, typeof mermaid]")
