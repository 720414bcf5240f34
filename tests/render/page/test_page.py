from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

from deskroom.render.page.model import RunData
from deskroom.render.page.page import LiveOptions, PageEntry, island, page_html

#: What would end a script, begin a comment in it, or turn a line around.
NASTY = "</script><!--<script>&\u2028\u2029\"'{{ 1234567 * 3 }}"


def entry(path: str = "a.toml", status: str = "passed", title: str = "") -> PageEntry:
    """Return a run with no data to speak of."""
    data = RunData(
        path=path,
        title=title,
        kind="scenario",
        status=status,
        rows=2,
        rowless=1,
        mismatches=0,
        text=json.dumps({"text": NASTY}, ensure_ascii=False),
    )
    return PageEntry(path=path, data=data, duration_s=0.5)


def test_data_cannot_end_the_script_that_it_stands_in() -> None:
    """It has no `<`, `>` or `&`, nor what ends a line in a script, and is the same JSON."""
    text = island(json.dumps(NASTY, ensure_ascii=False))
    assert None is re.search("[<>&\u2028\u2029]", text)
    assert NASTY == json.loads(text)


def test_a_title_and_a_path_are_text() -> None:
    """Neither tags nor expressions in them mean anything to the page."""
    page = page_html([entry(title=f"<b>{NASTY}"), entry(path=f"<i>{NASTY}")], is_index=True)
    assert None is re.search("<b>|<i>", page)
    assert "{{ 1234567 * 3 }}" in page
    assert "3703701" not in re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)


def test_only_what_is_ours_may_run() -> None:
    """The policy names the digests of the one script and the one style sheet, and no other source."""
    page = page_html([entry()])
    policy = page.split('Content-Security-Policy" content="')[1].split('"')[0]
    script = page.rsplit("<script>", 1)[1].split("</script>")[0]
    style = page.split("<style>")[1].split("</style>")[0]
    digests = [b64encode(sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert [
        "default-src 'none'",
        f"script-src 'sha256-{digests[0]}'",
        f"style-src 'sha256-{digests[1]}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ] == policy.replace("&#39;", "'").replace("&#43;", "+").split("; ")


def test_a_page_says_nothing_of_other_places() -> None:
    """No address of another host is in it, but for the name of SVG."""
    found = set(re.findall(r"https?://[^\s\"']+", page_html([entry()])))
    assert {"http://www.w3.org/2000/svg"} == found


def test_the_list_has_what_failed_first() -> None:
    """What is wrong, failed and is damaged comes before what is well; each keeps its own data."""
    entries = [
        entry("good"),
        entry("broken", "damaged"),
        PageEntry(path="wrong", problem="no run"),
        entry("bad", "failed"),
    ]
    page = page_html(entries, is_index=True)
    assert ["wrong", "bad", "broken", "good"] == re.findall(
        r"<th scope=\"row\">(?:<a[^>]*>)?<bdi>(\w+)", page
    )
    assert ["#run-0", "#run-1", "#run-2"] == re.findall(r'href="(#run-\d)"', page)
    assert ["no run"] == re.findall('bad"><bdi>(.*?)</bdi>', page)


def test_a_live_page_may_ask_the_server_it_came_from() -> None:
    """Its script runs behind the page's own, under one digest."""
    page = page_html([entry()], live=LiveOptions(script="follow();"))
    assert "connect-src &#39;self&#39;" in page
    assert page.rsplit("<script>", 1)[1].split("</script>")[0].endswith("\nfollow();")
