"""The page of ``deskroom report`` in a browser: what is visible, and what the keys and switches do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deskroom.cli.main import _run

RUNS = Path(__file__).parent / "runs"
OpenTab = Callable[..., Any]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that writes the page of some runs, once."""
    folder = tmp_path_factory.mktemp("pages")
    written: dict[tuple[str, ...], Path] = {}

    def page(*arguments: object) -> Path:
        key = tuple(map(str, arguments))
        if key not in written:
            written[key] = folder / f"{len(written)}.html"
            assert _run(["report", *key, "-o", str(written[key])]) in {0, 1}
        return written[key]

    return page


@pytest.fixture
def rich(pages: Callable[..., Path], open_tab: OpenTab) -> Any:
    """Return the page of the run that has everything in it, open at its top."""
    return open_tab(pages(RUNS / "rich.toml")).page


def cards(page: Any) -> list[str]:
    """Return what the cards in sight are called, from the top down, with their tags."""
    return [
        " ".join(text.split())
        for text in page.locator(".feed .card").evaluate_all(
            "cards => cards.map(card => [card.querySelector('.number').textContent,"
            " ...Array.from(card.querySelectorAll('.tag'), tag => tag.textContent)].join(' '))"
        )
    ]


def detail(page: Any) -> str:
    """Return the text of the details that are shown."""
    return " ".join(page.locator("#detail").inner_text().split())


def chosen(page: Any) -> str:
    """Return what the card is called that has the focus."""
    text: str = page.evaluate(
        "document.activeElement.closest('.card')?.querySelector('.number').textContent"
    )
    return text


ALL = [
    "row 1 opening",
    "row 2 broadcast",
    "row 3 files",
    "row 4 aside to checker 1 refused",
    "row 5 aside to solver",
    "row 6 2 mismatches",
    "turn 5 refused",
    "turn 6 failed",
    "row 7 nudge",
    "turn 7 silent",
    "turn 7 late call",
    "row 8 nudge",
    "turn 8 timed out",
    "row 9 person",
    "row 10",
    "row 11 completes",
    "turn 8 late call",
]


def test_every_row_and_turn_stands_where_it_happened(
    pages: Callable[..., Path], open_tab: OpenTab
) -> None:
    """Each in the lane of who did it, one below the other, and no card overlaps another."""
    page = open_tab(pages(RUNS / "rich.toml"), height=5000).page
    assert ALL == cards(page)
    boxes = page.locator(".feed .card").evaluate_all(
        "cards => cards.map(card => card.getBoundingClientRect()).map(b => [b.x, b.top, b.bottom])"
    )
    assert all(one[2] < other[1] for one, other in pairwise(boxes))
    assert 6 == len({box[0] for box in boxes})
    refused = page.locator(".card.turn", has_text="refused").locator(".text").inner_text()
    assert ["desk_dm: audience too large", "desk_shout: unknown tool"] == refused.splitlines()
    cut = page.locator(".feed .card").evaluate_all(
        "cards => cards.filter(card => card.scrollHeight > card.clientHeight + 1).length"
    )
    assert 0 == cut


def test_hand_overs_are_arrows_with_the_hop(pages: Callable[..., Path], open_tab: OpenTab) -> None:
    """Each turn that a row brought has one; those of a nudge or a person have hop 0, which is not said."""
    page = open_tab(pages(RUNS / "rich.toml"), height=5000).page
    assert ["hop 1", "hop 2", "hop 3", "hop 4", "hop 1", "hop 1"] == page.locator(
        ".arrows .hop"
    ).all_text_contents()
    assert 10 == page.locator(".arrows .arrow.head").count()


def test_mismatches_are_listed_on_top_with_links(rich: Any) -> None:
    """Expected and actual stand side by side; the link leads to the row, and it is then chosen."""
    assert ["content", "next", "rows"] == rich.locator(".mismatches code").all_text_contents()
    rich.locator(".mismatches a").first.click()
    assert "Row 6" == rich.inner_text("#detail-title")
    assert "#row-6" == rich.evaluate("location.hash")
    assert "Not as expected" in detail(rich)


def test_the_details_of_a_row_say_all_of_it(rich: Any) -> None:
    """Each `@` with what it counts as, who is next and why, the links, and the calls of the turn."""
    rich.evaluate("location.hash = '#row-6'")
    rich.wait_for_selector("#detail-title")
    text = detail(rich)
    for part in (
        "From solver (SOLVER)",
        "To the whole desk",
        "Turn 4 · hop 3",
        "@checker decides",
        "@solver no space before it",
        "@Chekcer nobody's name",
        "@LEAD counts",
        "Came from Row 5 · checker",
        "Led to Turn 5 · checker",
        "Settles Row 4 · solver Row 5 · checker",
        "desk_post ok",
    ):
        assert part in text


def test_the_details_of_a_turn_without_a_row_say_what_was_refused(rich: Any) -> None:
    """Its calls have their arguments and the reasons."""
    rich.evaluate("location.hash = '#turn-5'")
    rich.wait_for_selector("#detail-title")
    text = detail(rich)
    for part in (
        "Outcome refused",
        'desk_dm audience too large to ["lead", "solver"] message both of you: keep it quiet',
        "desk_shout unknown tool message hello",
    ):
        assert part in text


def test_an_aside_is_linked_to_what_settles_it(rich: Any) -> None:
    """And the link leads there."""
    rich.evaluate("location.hash = '#row-4'")
    rich.wait_for_selector("#detail-title")
    assert "To an aside: only checker, and people" in detail(rich)
    rich.locator("#detail a", has_text="Row 6 · solver").click()
    rich.wait_for_function("document.getElementById('detail-title').textContent === 'Row 6'")


def test_a_broadcast_has_its_scores_and_whom_they_chose(rich: Any) -> None:
    """Only the operator's view has them."""
    rich.evaluate("location.hash = '#row-2'")
    rich.wait_for_selector(".scores")
    assert ["solver 0.82 chosen", "checker 0.41 chosen", "scribe 0.05"] == [
        " ".join(row.split()) for row in rich.locator(".scores tbody tr").all_inner_texts()
    ]
    rich.select_option("#read-as", "scribe")
    assert (0, "Row 2") == (rich.locator(".scores").count(), rich.inner_text("#detail-title"))


def test_the_page_is_read_as_one_seat(pages: Callable[..., Path], open_tab: OpenTab) -> None:
    """Asides of others are one stub; of others' turns it is only told how they ended."""
    page = open_tab(pages(RUNS / "rich.toml"), height=5000).page
    page.select_option("#read-as", "scribe")
    shown = cards(page)
    assert "rows 4–5 private to checker 2 messages" == shown[3]
    assert "row 4 aside to checker 1 refused" not in shown
    assert "salt is new" not in page.locator(".feed").inner_text()
    assert ["turn 7 silent", "turn 7 late call"] == shown[8:10]
    assert "#as-scribe" == page.evaluate("location.hash")
    assert "Read as scribe: 15 entries" == page.inner_text("#said")
    page.select_option("#read-as", "checker")
    assert "turn 7 late call" not in cards(page)
    page.select_option("#read-as", "")
    assert ALL == cards(page)


def test_an_address_names_a_row_and_who_reads(
    pages: Callable[..., Path], open_tab: OpenTab
) -> None:
    """A row that the seat may not read leads to the stub that stands for it."""
    page = open_tab(pages(RUNS / "rich.toml"), fragment="#as-scribe/row-5").page
    assert "Rows 4–5" == page.inner_text("#detail-title")
    assert "scribe" == page.input_value("#read-as")


def test_the_keys_go_from_card_to_card(rich: Any) -> None:
    """Down and up, along the hand-overs, to both ends, into the details and out of them."""
    for key, where in (
        ("j", "row 1"),
        ("j", "row 2"),
        ("ArrowDown", "row 3"),
        ("k", "row 2"),
        ("ArrowRight", "row 4"),
        ("ArrowLeft", "row 2"),
        ("End", "turn 8"),
        ("ArrowUp", "row 11"),
        ("Home", "row 1"),
    ):
        rich.keyboard.press(key)
        assert (key, where) == (key, chosen(rich))
    rich.keyboard.press("Enter")
    assert "Row 1" == rich.evaluate("document.activeElement.textContent")
    rich.keyboard.press("Escape")
    assert ("row 1", False) == (chosen(rich), rich.is_visible("#detail"))
    rich.keyboard.press("?")
    assert rich.is_visible("#help")
    rich.keyboard.press("Escape")
    assert not rich.is_visible("#help")


def test_the_search_looks_through_everything(rich: Any) -> None:
    """Messages in any case, calls, and what was raised; how much is found is said."""
    rich.keyboard.press("/")
    rich.keyboard.type("SALT")
    assert ["row 4", "row 6", "row 10", "row 11"] == [card[:6].strip() for card in cards(rich)]
    assert "4 of 17 shown" == rich.inner_text("#said")
    assert ["salt"] == list({mark.lower() for mark in rich.locator(".card mark").all_inner_texts()})
    rich.keyboard.press("Escape")
    assert "" == rich.input_value("#search")
    rich.fill("#search", "overloaded")
    assert ["turn 6 failed"] == cards(rich)
    rich.fill("#search", "desk_shout")
    assert ["turn 5 refused"] == cards(rich)
    rich.fill("#search", "nobody says this")
    assert rich.is_visible("#nothing")
    rich.click("#nothing-clear")
    assert not rich.is_visible("#nothing")


def test_the_filters_are_by_seat_kind_and_outcome(rich: Any) -> None:
    """They narrow one another, and are cleared at once."""
    rich.click("#filters summary")
    rich.select_option("#filter-seat", label="checker (CHECKER)")
    assert ["row 5 aside to solver", "turn 5 refused", "turn 6 failed"] == cards(rich)
    rich.select_option("#filter-outcome", "failed")
    assert ["turn 6 failed"] == cards(rich)
    rich.click("#filter-clear")
    rich.select_option("#filter-kind", "nudge")
    assert ["row 7 nudge", "row 8 nudge"] == cards(rich)
    rich.select_option("#filter-kind", "wrong")
    assert ["row 6 2 mismatches"] == cards(rich)


def test_a_click_opens_the_details(rich: Any) -> None:
    """And the button closes them."""
    rich.locator(".card", has_text="hit rate").click()
    assert "Row 1" == rich.inner_text("#detail-title")
    rich.click("[aria-label='Close the details']")
    assert not rich.is_visible("#detail")


def test_on_a_phone_the_lanes_are_one_column(pages: Callable[..., Path], open_tab: OpenTab) -> None:
    """Each card says whose it is, and nothing is wider than the screen."""
    page = open_tab(pages(RUNS / "rich.toml"), width=360, height=740).page
    page.keyboard.press("j")
    assert "Maria Ferreira" == page.locator(".card .who").first.inner_text()
    assert (360, 360) == (
        page.evaluate("document.documentElement.scrollWidth"),
        page.evaluate("document.getElementById('stage').scrollWidth"),
    )
    assert not page.is_visible("#heads")


def test_on_paper_every_row_is_there(rich: Any) -> None:
    """One below the other, whole, with what each refused call was answered."""
    rich.emulate_media(media="print")
    rich.wait_for_selector("#paper .card")
    assert 17 == rich.locator("#paper .card").count()
    paper = rich.locator("#paper").inner_text()
    assert "nobody has to be woken." in paper
    assert "audience too large" in paper
    assert not rich.is_visible("#controls")


def test_many_runs_are_in_one_page(pages: Callable[..., Path], open_tab: OpenTab) -> None:
    """The list leads to each, and back; only what is opened is read."""
    page = open_tab(pages(RUNS / "rich.toml", "scenarios/run-28.toml")).page
    assert "2 runs" == page.inner_text("h1")
    assert ["failed", "passed"] == page.locator(".index .status").all_text_contents()
    page.locator(".index a").nth(1).click()
    page.wait_for_selector(".card")
    assert page.inner_text("h1").startswith("Run 28")
    assert "#run-1" == page.evaluate("location.hash")
    page.click("#back")
    page.wait_for_selector("#index")
    assert "2 runs" == page.inner_text("h1")


def test_a_page_that_is_fed_keeps_what_is_chosen(rich: Any) -> None:
    """New data of a run that grows comes in under the same row, reader and search."""
    rich.evaluate("location.hash = '#as-scribe/row-6'")
    rich.wait_for_selector("#detail-title")
    rich.evaluate(
        "() => { const data = JSON.parse(document.getElementById('data-0').textContent);"
        " for (const view of data.views) view.spans.pop();"
        " deskroomPage.replace(data); }"
    )
    assert ("Row 6", "scribe") == (
        rich.inner_text("#detail-title"),
        rich.input_value("#read-as"),
    )


def test_a_room_in_which_nothing_was_said_is_a_page(
    pages: Callable[..., Path], open_tab: OpenTab, tmp_path: Path
) -> None:
    """It says so, and no key does anything."""
    journal = tmp_path / "run.jsonl"
    assert 0 == _run(["replay", "-q", "scenarios/run-28.toml", "--journal", str(journal)])
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    page = open_tab(pages(journal)).page
    for key in ("j", "End", "Enter"):
        page.keyboard.press(key)
    assert page.is_visible("#empty")


def test_a_page_for_one_seat_shows_its_view(pages: Callable[..., Path], open_tab: OpenTab) -> None:
    """There is nobody else to read as, and nothing else in the file."""
    file = pages(RUNS / "rich.toml", "--as", "scribe")
    page = open_tab(file).page
    assert ["scribe"] == page.locator("#read-as option").all_inner_texts()
    for word in ("salt is new", "1.23 n", "both of you", "overloaded", "0.82"):
        assert word not in file.read_text()
