"""What must hold of a run, however its seats came to it: properties over rows and turns.

An exact row cannot be pinned where a model plays a seat. What can be is that only the lead completes,
that who is asked answers within four turns, that nothing private is repeated in public. A property is
checked step by step, as a run goes on, and needs no more than that.
"""

from deskroom.runs.properties.check import StepWatch, Violation
from deskroom.runs.properties.matcher import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    SameAs,
)
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step
from deskroom.runs.properties.view import view_violations
from deskroom.runs.properties.watch import (
    PropertyWatch,
    final_close,
    property_violations,
)

__all__ = [
    "Audiences",
    "Bounds",
    "Matcher",
    "NextSeat",
    "NoSeat",
    "OneOf",
    "Pattern",
    "Property",
    "PropertyWatch",
    "SameAs",
    "Step",
    "StepWatch",
    "Violation",
    "final_close",
    "property_violations",
    "view_violations",
]
