"""What somebody put into a run does nothing in the page that shows it; and everybody can use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.cli.main import _run

RICH = Path(__file__).parent / "runs" / "rich.toml"
OpenTab = Callable[..., Any]

#: Whatever of this is taken for markup or code leaves a mark in the window, or asks for a file.
NASTY = (
    "</script><script>window.bad = 1</script><!-- <script> ]]> "
    "<img src=x onerror='window.bad = 2'>\" onclick='window.bad = 3' "
    "\u2028\u2029\u202e{{ 7 * 7 }} javascript:window.bad=4 &lt;b&gt; `@a` @b"
)


def quoted(text: str) -> str:
    """Return a text as TOML writes it."""
    return json.dumps(text)


def scenario() -> str:
    """Return a scenario with such a text wherever a text may be."""
    short = quoted("</script><b>\"'&")
    return f"""\
format = 1
title = {quoted(NASTY)}
why = {quoted(NASTY)}
[desk]
id = "d"
name = {short}
people = [{{ id = "</script>", label = {short} }}]
seats = [{{ id = "a", name = {short} }}, {{ id = "<b>b" }}]
[opening]
by = "</script>"
message = {quoted(NASTY)}
[[turn]]
seat = "a"
calls = [{{ tool = {short}, {short} = {short} }}, {{ tool = "desk_post", message = {quoted(NASTY)} }}]
text = {quoted(NASTY)}
wrote = [{short}]
expect = {{ content = {quoted(NASTY + " not")} }}
[[turn]]
seat = "<b>b"
crash = {quoted(NASTY)}
"""


@pytest.fixture
def nasty(tmp_path: Path, open_tab: OpenTab) -> Any:
    """Return a tab with the page of that scenario, in a folder and a file with such names."""
    file = tmp_path / "</script><img src=x onerror=alert(1)>\u202e.toml".replace("/", "∕")
    file.write_text(scenario())
    page = tmp_path / "page.html"
    assert 1 == _run(["report", str(file), str(RICH), "-o", str(page)])
    return open_tab(page)


def test_no_text_of_a_run_does_anything(nasty: Any) -> None:
    """Neither in the list, a card, the details, the search nor on paper."""
    page = nasty.page
    page.locator(".index a").first.click()
    for fragment in ("#run-0/row-1", "#run-0/row-2", "#run-0/turn-2"):
        page.evaluate("fragment => { location.hash = fragment; }", fragment)
        page.wait_for_selector("#detail-title")
    page.fill("#search", "<script>")
    page.emulate_media(media="print")
    page.wait_for_selector("#paper .card")
    assert "undefined" == page.evaluate("typeof window.bad")
    assert 0 == page.locator("img, b, [onclick], [onerror]").count()


def test_what_is_shown_is_what_was_said(nasty: Any) -> None:
    """Tags are there as text, and what would turn the line around as an escape."""
    page = nasty.page
    page.evaluate("location.hash = '#run-0/row-1'")
    page.wait_for_selector("#detail-title")
    said = page.locator(".full-text").text_content()
    assert "</script><script>window.bad = 1</script>" in said
    assert "\\u2028\\u2029\\u202e{{ 7 * 7 }}" in said
    assert "\u202e" not in page.content()


def test_the_policy_stops_what_comes_in_by_another_way(nasty: Any) -> None:
    """A script, a style and a picture that are put into the page do nothing."""
    stopped = nasty.page.evaluate(
        """async () => {
          const found = [];
          document.addEventListener("securitypolicyviolation", event => found.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.bad = 5";
          const picture = document.createElement("img");
          picture.src = "https://example.invalid/x.png";
          const box = document.createElement("div");
          box.setAttribute("style", "color: red");
          document.body.append(script, picture, box);
          try { await fetch("https://example.invalid/"); } catch { found.push("fetch"); }
          await new Promise(resolve => setTimeout(resolve, 50));
          return [...new Set(found)].sort();
        }"""
    )
    assert ["connect-src", "fetch", "img-src", "script-src-elem", "style-src-attr"] == stopped
    assert 5 == len(nasty.complaints)
    # The picture is asked for, and stopped before it leaves.
    nasty.complaints.clear()
    nasty.requests.clear()
    assert "undefined" == nasty.page.evaluate("typeof window.bad")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_axe_finds_nothing(
    open_tab: OpenTab,
    script: Callable[[str], str],
    tmp_path: Path,
    size: tuple[int, int],
    *,
    dark: bool,
) -> None:
    """In the list, the lanes, the details and the filters: names, roles, landmarks and contrast."""
    file = tmp_path / "page.html"
    assert 1 == _run(["report", str(RICH), "docs/examples", "-o", str(file)])
    page = open_tab(file, width=size[0], height=size[1], dark=dark).page
    found = {"list": axe(page, script("axe"))}
    page.evaluate("location.hash = '#run-0'")
    page.wait_for_selector(".card")
    page.click("#filters summary")
    found["lanes"] = axe(page)
    page.evaluate("location.hash = '#run-0/row-6'")
    page.wait_for_selector("#detail-title")
    found["details"] = axe(page)
    page.evaluate("location.hash = '#run-0/as-scribe/turn-7'")
    page.wait_for_function("document.getElementById('read-as').value === 'scribe'")
    found["a turn"] = axe(page)
    assert {"list": [], "lanes": [], "details": [], "a turn": []} == found


def axe(page: Any, source: str = "") -> list[str]:
    """Return what axe-core finds, each with where it is."""
    if source:
        page.evaluate(source)
    found = page.evaluate("axe.run(document)")
    return [
        f"{violation['impact']} {violation['id']}: {node['html'][:120]} {node.get('failureSummary', '')[-200:]}"
        for violation in found["violations"]
        for node in violation["nodes"][:3]
    ]
