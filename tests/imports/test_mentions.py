from __future__ import annotations

import pytest

from deskroom.imports.mentions import Names
from deskroom.imports.records import Mark, Text

NAMES = {"U1": "zoe", "U2": "ravi_k"}
SHOWN = {"Zoë Ahlberg": "zoe", "Ravi": "ravi", "Ravi K.": "ravi_k"}


def mark(key: str, otherwise: str = "somebody") -> Mark:
    """Return a mark for a speaker."""
    return Mark(key=key, otherwise=otherwise)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("  plain \n", "plain"),
        ("\x1fkept\x1f", "\x1fkept\x1f"),
        (("hi ", mark("U1"), ", go"), "hi @zoe, go"),
        (("hi", mark("U1"), "there"), "hi @zoe there"),
        ((mark("U1"), mark("U2")), "@zoe @ravi_k"),
        (("(", mark("U1"), ")"), "(@zoe)"),
        (("hi ", mark("U9", "@ghost"), "!"), "hi @ghost!"),
        (("see `x", mark("U1"), "y`"), "see `x@zoe" + "y`"),
        (("all", mark("@here", "@here"), "now"), "all @here now"),
        (("  \n", mark("U1"), " x"), "@zoe x"),
        (("\u00a0x\u00a0", mark("U1")), "x\u00a0 @zoe"),
        ("@zoë ahlberg: go", "@zoe: go"),
        ("@Ravi K. you", "@ravi_k you"),
        ("@Ravi, you", "@ravi, you"),
        ("@Ravina no", "@Ravina no"),
        ("x@Zoë Ahlberg", "x@Zoë Ahlberg"),
        ("`@Zoë Ahlberg` (@Zoë Ahlberg)", "`@Zoë Ahlberg` (@zoe)"),
        ("```\n@Zoë Ahlberg\n```", "```\n@Zoë Ahlberg\n```"),
    ],
)
def test_foreign_mentions_become_ours(text: Text, expected: str) -> None:
    """Marks are parted from other text outside code; the longest known name is taken first."""
    assert expected == Names(NAMES, SHOWN).rewritten(text)


def test_what_was_rewritten_is_known() -> None:
    """So that the mapping can be printed."""
    names = Names(NAMES, SHOWN)
    names.rewritten(("@zoë ahlberg and ", mark("U2"), mark("U7")))
    assert {"zoë ahlberg": "zoe", "U2": "ravi_k"} == names.used
