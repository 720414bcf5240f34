"""``check``: everything wrong with a scenario, and everything suspicious, without running it.

A warning is about what is legal. It is given only where the file alone decides, and not where the
file shows that its author knows: a turn that pins ``mentions`` says which ``@`` count, and one
that pins ``replies`` says which calls are refused.
"""

from deskroom.scenario.check.run import Checked, check_document, check_scenario, check_text
from deskroom.scenario.check.warning import CheckWarning, WarningKind

__all__ = [
    "CheckWarning",
    "Checked",
    "WarningKind",
    "check_document",
    "check_scenario",
    "check_text",
]
