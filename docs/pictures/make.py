"""Make the pictures of docs/reading-a-run.md and README.md: ``python docs/pictures/make.py``.

They are taken of the real page, made by the real command, in the system's Chromium (``.ci/browser``
installs it; Debian's fonts-noto-core and fonts-noto-color-emoji have the scripts that are shown). What
they were made from is noted in made-from.txt, and a test holds it against what is there now.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
RUN: Final = ROOT / "tests" / "browser" / "runs" / "rich.toml"
NOTE: Final = HERE / "made-from.txt"
_FLAGS: Final = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")

#: Each picture: its name, the page, the fragment, the width and height, and whether it is dark.
PICTURES: Final = (
    ("page", "run", "", 1280, 860, False),
    ("details", "run", "#row-6", 1280, 860, False),
    ("read-as", "run", "#as-scribe/row-8", 1280, 760, False),
    ("dark", "run", "", 1280, 760, True),
    ("phone", "run", "", 390, 780, False),
    ("folder", "folder", "", 1280, 620, False),
)


def made_from() -> str:
    """Return a digest of all that the pictures show: the page's own files, the run, this script."""
    page = ROOT / "src" / "deskroom" / "render" / "page"
    shown = [*page.glob("*.js"), *page.glob("*.css"), *page.glob("*.j2"), RUN, Path(__file__)]
    digest = sha256()
    for path in sorted(shown):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def main() -> None:
    """Make every picture, and note what they were made from."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        pages = {"run": Path(folder, "run.html"), "folder": Path(folder, "folder.html")}
        _report(pages["run"], RUN)
        _report(pages["folder"], RUN, ROOT / "scenarios" / "field")
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(_FLAGS)
        )
        for name, page, fragment, width, height, dark in PICTURES:
            tab = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme="dark" if dark else "light",
                reduced_motion="reduce",
            )
            tab.goto(pages[page].as_uri() + fragment)
            tab.wait_for_timeout(400)
            tab.screenshot(path=HERE / f"{name}.png")
            tab.close()
        browser.close()
    NOTE.write_text(f"{made_from()}\n", encoding="utf-8")


def _report(out: Path, *runs: Path) -> None:
    command = [sys.executable, "-m", "deskroom", "report", "-o", str(out)]
    # It ends with 1: what is shown has mismatches on purpose.
    shown = [str(run.relative_to(ROOT)) for run in runs]
    subprocess.run([*command, *shown], cwd=ROOT, check=False)


if __name__ == "__main__":
    main()
