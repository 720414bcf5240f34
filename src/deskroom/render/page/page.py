"""Runs as one HTML file: no network, no other file, and a policy that lets nothing else in.

Every text goes through Jinja's autoescape or, in the data, is escaped so that no tag can end it. What
runs and how it looks is allowed by digest, so a tag that comes in with somebody's words does nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from attrs import field, frozen

from deskroom._version import __version__
from deskroom.printable import counted, one_line
from deskroom.render.page.model import RunData

__all__ = ["LiveOptions", "PageEntry", "page_html", "page_policy"]

#: The scripts are one text in the page; each stands on those before it.
_SCRIPTS: Final = (
    "dom.js",
    "data.js",
    "state.js",
    "layout.js",
    "cards.js",
    "arrows.js",
    "mismatches.js",
    "detail.js",
    "summary.js",
    "controls.js",
    "main.js",
)
#: What ends a script's text or begins another kind of it; JSON has an escape for each.
_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
#: In this order runs are listed: what needs a look comes first.
_FIRST: Final = ("wrong", "failed", "damaged", "passed", "read")


@frozen(kw_only=True)
class PageEntry:
    """One run of a page, or a file that holds none: then there is a ``problem`` and no ``data``.

    ``duration_s`` is how many seconds it took, where that is to be shown.
    """

    path: str
    data: RunData | None = None
    problem: str = ""
    duration_s: float | None = None

    @property
    def status(self) -> str:
        """How it came out: ``passed``, ``failed``, ``damaged``, ``read``, or ``wrong``."""
        return "wrong" if self.data is None else self.data.status


@frozen(kw_only=True)
class LiveOptions:
    """A page that is served while its run grows: what fetches the rest.

    ``script`` runs behind the page's own, which has put ``deskroomPage`` into the window.
    """

    script: str = field(repr=False)


def page_html(
    entries: Sequence[PageEntry], *, is_index: bool = False, live: LiveOptions | None = None
) -> str:
    """Return the page of a run; of several with ``is_index``, which lists them first."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - only this needs it
    from markupsafe import Markup  # noqa: PLC0415 - as above

    listed = sorted(entries, key=lambda entry: _FIRST.index(entry.status)) if is_index else entries
    runs = [entry.data for entry in listed if entry.data is not None]
    style, script = _text("page.css"), _script(live)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(_text("page.html.j2"))
    # These are our own files, and data whose every `<` is escaped.
    return template.render(
        policy=_policy(style, script, live),
        version=__version__,
        title=_title(listed, is_index=is_index),
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        islands=[Markup(island(run.text)) for run in runs],  # noqa: S704
        is_index=is_index,
        summary=_summary(listed),
        entries=[_listed(entry, runs) for entry in listed],
    )


def page_policy(live: LiveOptions | None = None) -> str:
    """Return the Content-Security-Policy that a page holds, for a server to send as well."""
    return _policy(_text("page.css"), _script(live), live)


def island(text: str) -> str:
    """Return JSON as it may stand inside a page's script element."""
    return text.translate(_ESCAPES)


@cache
def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _script(live: LiveOptions | None) -> str:
    parts = [_text(name) for name in _SCRIPTS]
    more = [] if live is None else [live.script]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();", *more])


def _policy(style: str, script: str, live: LiveOptions | None) -> str:
    rules = [
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(style)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join([*rules, *(["connect-src 'self'"] if live else [])])


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


# --- the list of runs -------------------------------------------------------------------------


def _title(entries: Sequence[PageEntry], *, is_index: bool) -> str:
    if is_index or not entries:
        return counted(len(entries), "run")
    data = entries[0].data
    return (data.title or data.path) if data is not None else entries[0].path


def _summary(entries: Sequence[PageEntry]) -> str:
    statuses = [entry.status for entry in entries]
    counts = [f"{statuses.count(name)} {name}" for name in _FIRST if name in statuses]
    return ", ".join(counts)


def _listed(entry: PageEntry, runs: Sequence[RunData]) -> dict[str, object]:
    data = entry.data
    took = "" if entry.duration_s is None else f"{entry.duration_s:.2f} s"
    values: dict[str, object] = {
        "status": entry.status,
        "path": one_line(entry.path),
        "problem": one_line(entry.problem),
        "took": took,
        "place": None,
    }
    counts = {"title": "", "rows": "", "rowless": "", "mismatches": "", "lines": ()}
    if data is not None:
        place = next(at for at, run in enumerate(runs) if run is data)
        values |= {"place": place, "title": data.title, "rows": data.rows, "lines": data.lines}
        values |= {"rowless": data.rowless, "mismatches": data.mismatches}
    return {**counts, **values}
