"""The journal: a room's entries in a file that survives whatever happens to the process."""

from deskroom.journal.file import JournalFile, Sync
from deskroom.journal.reader import JournalError, Line, Torn, read_journal
from deskroom.journal.verify import Differs, Verified, checked_lines, verify, verify_entries

__all__ = [
    "Differs",
    "JournalError",
    "JournalFile",
    "Line",
    "Sync",
    "Torn",
    "Verified",
    "checked_lines",
    "read_journal",
    "verify",
    "verify_entries",
]
