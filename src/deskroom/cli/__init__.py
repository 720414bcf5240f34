"""The command line."""

from deskroom.cli.main import main

__all__ = ["main"]
