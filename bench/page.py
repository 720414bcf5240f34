"""``python -m bench.page``: how long the page of a long run takes to make, to open and to scroll.

It needs the system's Chromium and Playwright (`.ci/browser` and the `test` extra). Nothing here is
asserted: the figures are those of one machine.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from playwright.sync_api import Browser, sync_playwright

from deskroom.render.page.model import run_data
from deskroom.render.page.page import PageEntry, page_html
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.sources import Source

_SEATS: Final = 6
_ALIKE: Final = 10  # turns in a row that are one in the file, which may have only so many keys
_ASIDE_EACH: Final = 10
_SILENT_EACH: Final = 17
_TEXT: Final = (
    "this is message {number} of the round, as long as a usual message in a room whose seats report "
    "to one another, and it hands the turn on"
)
#: Steps through the whole run, one a frame, and every other one a short one.
_SCROLL: Final = """async () => {
  const stage = document.getElementById("stage");
  const step = stage.scrollHeight / 120;
  const frames = [];
  let last = performance.now();
  for (let frame = 0; frame < 240; frame++) {
    stage.scrollTop += frame % 2 ? 120 : step;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  frames.sort((one, other) => one - other);
  return [frames[120], frames[228], frames[239]];
}"""


@click.command()
@click.option("--rows", multiple=True, type=int, default=(10_000, 100_000), show_default=True)
def main(rows: tuple[int, ...]) -> None:
    """Measure the page of runs of so many turns."""
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        executable = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=executable, args=["--disable-gpu"])
        for count in rows:
            for line in _measured(count, browser, Path(folder)):
                print(line)
        browser.close()


def _measured(count: int, browser: Browser, folder: Path) -> Iterator[str]:
    source = _source(count)
    start = time.perf_counter()
    page = page_html([PageEntry(path="long", data=run_data(source, "long"))])
    made = time.perf_counter() - start
    file = folder / f"{count}.html"
    file.write_text(page)
    yield f"{count:,} turns: made in {made:.1f} s, {len(page) / 1e6:.1f} MB"
    tab = browser.new_page()
    start = time.perf_counter()
    tab.goto(file.as_uri())
    tab.wait_for_selector(".card")
    yield f"  open in {time.perf_counter() - start:.2f} s"
    frames: Any = tab.evaluate(_SCROLL)
    middle, late, longest = frames
    yield f"  a frame of scrolling: median {middle:.0f} ms, 95 % {late:.0f} ms, most {longest:.0f} ms"
    start = time.perf_counter()
    tab.fill("#search", "message 77")
    yield f"  a first search in {time.perf_counter() - start:.2f} s"
    start = time.perf_counter()
    tab.fill("#search", "")
    tab.select_option("#read-as", "seat-2")
    yield f"  read as another in {time.perf_counter() - start:.2f} s"
    tab.close()


def _source(count: int) -> Source:
    replay = replay_scenario(parse_scenario("\n".join(_lines(count)), "long.toml"))
    return Source(path="long.toml", whole=replay.view(lines=False), replay=replay)


def _lines(count: int) -> Iterator[str]:
    seats = ", ".join(f'{{ id = "seat-{number}" }}' for number in range(_SEATS))
    yield f'format = 1\ndesk = {{ id = "d", name = "D", seats = [{seats}] }}'
    yield f"[policy]\nmax_turns = {count + 1}"
    yield "aside = { enabled = true, max_members = 1, max_messages = 1000000 }"
    for number in range(count // _ALIKE):
        text = _TEXT.format(number=number)
        following = f"seat-{(number + 1) % _SEATS}"
        yield f'[[turn]]\nseat = "seat-{number % _SEATS}"\nrepeat = {_ALIKE}'
        if number % _ASIDE_EACH == 1:
            yield f'calls = [{{ tool = "desk_dm", to = ["{following}"], message = "{text}" }}]'
        elif number % _SILENT_EACH != 1:
            yield f'say = "@{following} {text}"'


if __name__ == "__main__":
    main()
