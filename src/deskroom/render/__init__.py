"""What came out, as text for people and as values for programs."""

from deskroom.render.replay import mismatch_line, replay_json, replay_table
from deskroom.render.text import one_line, printable
from deskroom.render.tools import TOOL_FORMATS, input_schema, tools_as

__all__ = [
    "TOOL_FORMATS",
    "input_schema",
    "mismatch_line",
    "one_line",
    "printable",
    "replay_json",
    "replay_table",
    "tools_as",
]
