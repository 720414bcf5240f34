"""Transcripts that were made elsewhere: read within bounds, by one small importer a format."""

from deskroom.imports.importer import Importer, Match, Options, pick_room
from deskroom.imports.records import (
    DeskCall,
    Handoff,
    Left,
    Mark,
    Place,
    Record,
    Speaker,
    Text,
    Yielded,
)
from deskroom.imports.source import Source

__all__ = [
    "DeskCall",
    "Handoff",
    "Importer",
    "Left",
    "Mark",
    "Match",
    "Options",
    "Place",
    "Record",
    "Source",
    "Speaker",
    "Text",
    "Yielded",
    "pick_room",
]
