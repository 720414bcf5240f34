"""A run as a picture: who spoke when, and how often each gave each the turn.

Drawn by matplotlib, which the extra ``plot`` installs. The same run gives the same bytes: no date,
no random ids, and no global state of matplotlib is read or changed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal

from deskroom.errors import UsageError
from deskroom.printable import counted
from deskroom.render.graph import Event, Graph, Participant, plain_label
from deskroom.render.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["INK", "LINE", "check_can_plot", "drawn", "plot"]

#: What matplotlib draws with. Text stays text in an SVG; a dollar sign is no formula.
_STYLE: Final[Mapping[str, Any]] = {
    "font.size": 9.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "deskroom",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
#: Dark on a light ground of its own, so that a dark page around it changes nothing.
_GROUND: Final = "#ffffff"
INK: Final = "#222222"
LINE: Final = "#dddddd"

#: A colour and a name for each kind of mark; told apart also by those who see fewer colours.
_MARKS: Final[Mapping[str, tuple[str, str]]] = {
    "desk": ("#0072b2", "for the desk"),
    "aside": ("#d55e00", "aside"),
    "private": ("#8a8a8a", "private"),
    "broadcast": ("#b3478d", "broadcast"),
    "nudge": ("#00795a", "nudge"),
    "wrote": ("#7a5c00", "wrote files"),
    "no_row": ("#c00020", "turn without a row"),
}
_MOST_NAME: Final = 24
#: Fonts with the characters that matplotlib's own lacks, on the systems that have them.
_WIDER_FONTS: Final = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Droid Sans Fallback",
    "WenQuanYi Zen Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
)
#: With more marks than these an SVG holds them as pixels: it would take long to open.
_MOST_SHAPES: Final = 5000
#: With more columns than these the counts in the matrix would run into each other.
_MOST_COUNTS: Final = 40


def check_can_plot() -> None:
    """Raise ``UsageError`` where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise UsageError("matplotlib is not installed; get it with: pip install 'deskroom[plot]'")


def plot(graph: Graph, title: str, format_: Literal["svg", "png"]) -> bytes:
    """Return a picture of a run. Raises ``UsageError`` where matplotlib is not installed."""
    check_can_plot()
    names = [_name(one) for one in graph.participants]
    lanes = max(len(names), 1)
    matrix = bool(graph.hand_offs)
    cell = min(0.45, max(0.2, 9 / lanes))
    heights = [max(1.2, 0.24 * lanes), *([cell * lanes] if matrix else [])]
    height = sum(heights) + 1.4 + (1.8 if matrix else 0)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        figure.suptitle(title, color=INK, fontsize=11)
        _draw_times(axes[0], graph, names)
        if matrix:
            _draw_matrix(axes[1], graph, names)

    return drawn(draw, height, format_)


def drawn(draw: Callable[[Figure], None], height: float, format_: Literal["svg", "png"]) -> bytes:
    """Return what is drawn into a figure of a height in inches: the same bytes each time."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra, and it takes long to load
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    written = BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # and not what the user's own file says
        mpl.rcParams["font.family"] = _fonts()
        mpl.rcParams.update(_STYLE)  # type: ignore[arg-type] # the name of each is a literal of its own
        # A font without a character shows a box in its place.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(12, height), facecolor=_GROUND, layout="constrained")
        draw(figure)
        metadata = {"Date": None, "Creator": None} if format_ == "svg" else {"Software": None}
        figure.savefig(written, format=format_, dpi=120, metadata=metadata)
    return written.getvalue()


def _fonts() -> list[str]:
    """Return the fonts to look for a character in, in order: matplotlib's own comes first."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - as above

    there = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _WIDER_FONTS if name in there)]


def _name(one: Participant) -> str:
    return shortened(plain_label(one), _MOST_NAME)


# --- who spoke when ----------------------------------------------------------------------------


def _draw_times(axes: Axes, graph: Graph, names: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - as above

    lane = {one.alias: at for at, one in enumerate(graph.participants)}
    marks: dict[str, list[tuple[float, int]]] = {}
    last = 0
    for event in graph.events:
        places = list(_places(event, last))
        marks.setdefault(event.kind, []).extend((x, lane[event.source]) for x in places)
        last = event.row + event.messages - 1 if event.row is not None else last
    count = sum(map(len, marks.values()))
    for kind, (color, label) in _MARKS.items():
        if kind in marks:
            x, y = zip(*marks[kind], strict=True)
            sign = "x" if kind == "no_row" else "|"
            # Shorter marks stand before longer ones, so that of many in one place each kind is seen.
            size = 110 if kind == "desk" else 40
            width = min(2.0, max(1.0, 1000 / max(count, 1)))
            axes.scatter(
                x, y, marker=sign, s=size, c=color, linewidths=width, label=label,
                rasterized=count > _MOST_SHAPES,
            )  # fmt: skip
    axes.set_title(f"Who spoke when ({counted(last, 'row')})", color=INK, fontsize=10, loc="left")
    axes.set_xlabel("row", color=INK)
    axes.set_xlim(0.5 - last * 0.01, max(last, 1) + 0.5 + last * 0.01)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.hlines(range(len(names)), *axes.get_xlim(), colors=LINE, linewidths=0.6, zorder=0)
    if len(marks) > 1:
        legend = axes.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, labelcolor=INK
        )
        for handle in filter(None, legend.legend_handles):
            handle.set(linewidth=2.0)


def _places(event: Event, last: int) -> Iterator[float]:
    """Yield where an event stands: at its rows, or between two if it has none."""
    if event.row is None:
        yield last + 0.5
    else:
        yield from range(event.row, event.row + event.messages)


# --- hand-offs ---------------------------------------------------------------------------------


def _draw_matrix(axes: Axes, graph: Graph, names: Sequence[str]) -> None:
    lane = {one.alias: at for at, one in enumerate(graph.participants)}
    hand_offs = graph.hand_offs or ()
    counts = [[0] * len(names) for _ in names]
    for one in hand_offs:
        counts[lane[one.source]][lane[one.target]] += one.turns
    columns = [at for at, one in enumerate(graph.participants) if one.kind == "agent"]
    shown = [[row[at] for at in columns] for row in counts]
    most = max(map(max, shown))
    axes.imshow(shown, cmap="Blues", vmin=0, vmax=most * 2, aspect="equal")
    for y, row in enumerate(shown):
        for x, turns in enumerate(row):
            if turns and len(columns) <= _MOST_COUNTS:
                axes.text(x, y, str(turns), ha="center", va="center", color=INK, fontsize=7.5)
    axes.set_title("Who gave whom the turn (times)", color=INK, fontsize=10, loc="left")
    axes.set_xlabel("to", color=INK)
    axes.set_ylabel("from", color=INK)
    axes.set_xticks(range(len(columns)), [names[at] for at in columns], rotation=90, color=INK)
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_xticks([at - 0.5 for at in range(1, len(columns))], minor=True)
    axes.set_yticks([at - 0.5 for at in range(1, len(names))], minor=True)
    axes.grid(which="minor", color=LINE, linewidth=0.5)
    axes.tick_params(which="minor", length=0)
