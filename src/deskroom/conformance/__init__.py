"""Conformance vectors: cases of the pure functions, with the answers of the reference behaviour."""

from deskroom.conformance.run import Mismatch, Report, Tally, conform

__all__ = ["Mismatch", "Report", "Tally", "conform"]
