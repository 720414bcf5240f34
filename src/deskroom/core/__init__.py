"""The pure core: who is there, what a message means, who may read it and who is next.

Nothing here reads a file, a clock, a socket or a random number, and nothing is asynchronous.
"""

from deskroom.core.aside import AsideInput, AsidePolicy, Refused, aside
from deskroom.core.audience import DESK, OPERATOR, Audience, Author, Viewer, admits
from deskroom.core.directory import EVERYONE, Directory, Target, agent
from deskroom.core.dispatch import Decision, DispatchPolicy, NoTurn, TurnFor, mention_dispatch
from deskroom.core.episode import Assignment, Episode, choose_recipients
from deskroom.core.explain import Note, explain_mentions
from deskroom.core.masking import code_ranges
from deskroom.core.mention import Mention, resolve
from deskroom.core.responder import direct_responder, respond_to_person
from deskroom.core.roster import (
    Desk,
    DeskSet,
    Member,
    Person,
    Roster,
    effective_members,
    is_general_chat,
    lead,
    validate_desks,
    validate_roster,
)
from deskroom.core.text import slug
from deskroom.core.transcript import Bookkeeping, Elision, Row, SeenRow, project

__all__ = [
    "DESK",
    "EVERYONE",
    "OPERATOR",
    "AsideInput",
    "AsidePolicy",
    "Assignment",
    "Audience",
    "Author",
    "Bookkeeping",
    "Decision",
    "Desk",
    "DeskSet",
    "Directory",
    "DispatchPolicy",
    "Elision",
    "Episode",
    "Member",
    "Mention",
    "NoTurn",
    "Note",
    "Person",
    "Refused",
    "Roster",
    "Row",
    "SeenRow",
    "Target",
    "TurnFor",
    "Viewer",
    "admits",
    "agent",
    "aside",
    "choose_recipients",
    "code_ranges",
    "direct_responder",
    "effective_members",
    "explain_mentions",
    "is_general_chat",
    "lead",
    "mention_dispatch",
    "project",
    "resolve",
    "respond_to_person",
    "slug",
    "validate_desks",
    "validate_roster",
]
