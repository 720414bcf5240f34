"""A sweep as a picture: a line a policy, with how soon it closed, why, and who spoke.

Drawn by matplotlib, which the extra ``plot`` installs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from deskroom.core.reasons import CloseReason
from deskroom.errors import UsageError
from deskroom.printable import counted
from deskroom.render.plot import INK, LINE, check_can_plot, drawn
from deskroom.render.sweep import policy_name
from deskroom.render.text import shortened
from deskroom.sweep.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_can_plot_sweep", "plot_sweep"]

#: More would make a picture that nothing shows.
_MOST_POLICIES: Final = 200
_MOST_NAME: Final = 48
_DOT: Final = "#0072b2"
_BROKEN: Final = "#c00020"
#: A colour for each reason to close; told apart also by those who see fewer colours.
_REASONS: Final = {
    str(CloseReason.COMPLETED): "#00795a",
    str(CloseReason.QUIET): "#b0b0b0",
    str(CloseReason.MAX_TURNS): "#d55e00",
    str(CloseReason.SCRIPT): "#7a5c00",
}
_OTHER: Final = "#b3478d"


def check_can_plot_sweep(summary: Summary) -> None:
    """Raise ``UsageError`` for what makes no picture, and where matplotlib is not installed."""
    check_can_plot()
    policies = len(summary.policies)
    if not 1 <= policies <= _MOST_POLICIES:
        raise UsageError(f"--plot draws 1 to {_MOST_POLICIES} policies, and there are {policies}")


def plot_sweep(summary: Summary, format_: Literal["svg", "png"]) -> bytes:
    """Return a picture of a sweep. The same results give the same bytes."""
    check_can_plot_sweep(summary)

    def draw(figure: Figure) -> None:
        turns, closed, spoke = figure.subplots(1, 3, sharey=True, width_ratios=(4, 4, 3))
        figure.suptitle(
            f"{counted(summary.runs, 'run')} of {counted(summary.files, 'file')}",
            color=INK,
            fontsize=11,
        )
        _draw_turns(turns, summary)
        _draw_closed(closed, summary)
        _draw_spoke(spoke, summary)

    return drawn(draw, 1.8 + 0.28 * len(summary.policies), format_)


def _draw_turns(axes: Axes, summary: Summary) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - an extra, and it takes long to load

    policies, lanes = summary.policies, range(len(summary.policies))
    axes.hlines(
        lanes,
        [one.turns.least for one in policies],
        [one.turns.most for one in policies],
        colors=_DOT,
        linewidths=1.5,
    )
    axes.scatter([one.turns.middle for one in policies], lanes, c=_DOT, s=28, zorder=3)
    for lane, one in zip(lanes, policies, strict=True):
        if one in summary.soonest and len(summary.soonest) < len(policies):
            axes.scatter([one.turns.middle], [lane], c="none", edgecolors=INK, s=90, zorder=2)
    _head(axes, "turns to close (ring: soonest)")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    names = [shortened(policy_name(one, summary.keys), _MOST_NAME) for one in policies]
    axes.set_yticks(lanes, names, color=INK)
    axes.set_ylim(len(policies) - 0.5, -0.5)
    for label, one in zip(axes.get_yticklabels(), policies, strict=True):
        if one.breaking or one.invariants:
            label.set_color(_BROKEN)


def _draw_closed(axes: Axes, summary: Summary) -> None:
    policies, lanes = summary.policies, range(len(summary.policies))
    reasons = sorted(
        {why for one in policies for why in one.closed},
        key=lambda why: ([*_REASONS].index(why) if why in _REASONS else len(_REASONS), why),
    )
    left = [0.0] * len(policies)
    for why in reasons:
        shares = [100 * one.closed.get(why, 0) / one.runs for one in policies]
        axes.barh(lanes, shares, left=left, height=0.6, color=_REASONS.get(why, _OTHER), label=why)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    _head(axes, "closed (% of runs)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, frameon=False)


def _draw_spoke(axes: Axes, summary: Summary) -> None:
    policies, lanes = summary.policies, range(len(summary.policies))
    axes.barh(lanes, [100 * one.spoke for one in policies], height=0.6, color=_DOT)
    _head(axes, "seats that spoke (%)")
    axes.set_xlim(0, 100)
    for lane, one in zip(lanes, policies, strict=True):
        if one.breaking or one.invariants:
            text = f" {max(one.breaking, one.invariants)} of {one.runs} broke a property"
            axes.text(101, lane, text, color=_BROKEN, va="center", fontsize=8)


def _head(axes: Axes, title: str) -> None:
    axes.set_title(title, color=INK, fontsize=10, loc="left")
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
