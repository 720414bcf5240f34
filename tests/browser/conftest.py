"""How the tests in a real browser run: one Chromium a module, and pages that may reach nothing.

Where the browser or what it needs is missing these tests are skipped, with the reason; in CI (the
variable CI is set, as ``.ci/run`` sets it) that is an error. ``.ci/browser`` installs what they need.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NoReturn

import pytest
from attrs import define, field

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

ROOT: Final = Path(__file__).parents[2]
#: The scripts that ``.ci/browser`` brings, each by its name.
SCRIPTS: Final = {
    "axe": ".cache/browser/axe-core@4.14.1/axe.min.js",
    "mermaid": ".cache/browser/mermaid@12.3.0/dist/mermaid.min.js",
}
_FLAGS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

OpenTab = Callable[..., "Tab"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each of these as slow: a browser takes a second to start."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("slow")


@define
class Tab:
    """A page that is open, with what went wrong in it: messages of its console, and requests."""

    page: Page
    complaints: list[str] = field(factory=list)
    requests: list[str] = field(factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return the system's Chromium.

    It ends with the module: while Playwright runs, no other event loop can in this process.
    """
    driver, executable = _driver()
    launched = driver.chromium.launch(executable_path=executable, args=list(_FLAGS))
    yield launched
    launched.close()
    driver.stop()


def _driver() -> tuple[Playwright, str]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        _missing("there is no Chromium on this machine")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may not be there
    except ImportError:
        _missing("playwright is not installed")
    return sync_playwright().start(), executable


def _missing(what: str) -> NoReturn:
    advice = "see CONTRIBUTING.md, `.ci/browser`"
    if os.environ.get("CI"):
        pytest.fail(f"{what}; {advice}", pytrace=False)
    pytest.skip(f"{what}; {advice}")


@pytest.fixture(scope="session")
def script() -> Callable[[Literal["axe", "mermaid"]], str]:
    """Return a function that reads one of the scripts that tests put into pages."""

    def read(name: Literal["axe", "mermaid"]) -> str:
        file = ROOT / SCRIPTS[name]
        if not file.exists():
            _missing(f"there is no {SCRIPTS[name]}")
        return file.read_text()

    return read


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[OpenTab]:
    """Return a function that opens a file or a URL in a tab of its own.

    At the end nothing has been wrong in any of them: no error or warning stands in the console, and
    no request left the page.
    """
    tabs: list[Tab] = []

    def call(
        where: Path | str,
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        fragment: str = "",
    ) -> Tab:
        url = where.as_uri() if isinstance(where, Path) else where
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        tab = Tab(page)
        tabs.append(tab)
        page.on("console", lambda said: _note(tab, said.type, said.text))
        page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        page.on("request", lambda request: tab.requests.append(request.url))
        page.goto(url + fragment)
        return tab

    yield call
    for tab in tabs:
        tab.page.close()
    assert [] == [complaint for tab in tabs for complaint in tab.complaints]
    left = [url for tab in tabs for url in tab.requests[1:] if not url.startswith("data:")]
    assert [] == left


def _note(tab: Tab, kind: str, text: str) -> None:
    if kind in {"error", "warning"}:
        tab.complaints.append(f"{kind}: {text}")
