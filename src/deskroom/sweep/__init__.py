"""Many runs of files under many policies: the grid, who plays it, the file of its results, and its summary.

A run is played from plain values, so that it can be played in any process on any machine, and comes to
the same line wherever that is. Who plays is any ``concurrent.futures.Executor``: nothing here waits in a
queue or chooses a worker.
"""

from deskroom.sweep.grid import Axis, Grid, SweptFile, parse_axis, parse_seeds
from deskroom.sweep.lines import ResultLine
from deskroom.sweep.play import play_runs
from deskroom.sweep.results import ResultsFile, read_results
from deskroom.sweep.summary import PolicySummary, Summary

__all__ = [
    "Axis",
    "Grid",
    "PolicySummary",
    "ResultLine",
    "ResultsFile",
    "Summary",
    "SweptFile",
    "parse_axis",
    "parse_seeds",
    "play_runs",
    "read_results",
]
