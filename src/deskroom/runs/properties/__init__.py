"""What must hold of a run, however its seats came to it: properties over rows and turns.

An exact row cannot be pinned where a model plays a seat. What can be is that only the lead completes,
that who is asked answers within four turns, that nothing private is repeated in public. A property is
checked step by step, as a run goes on, and needs no more than that.
"""

from typing import TYPE_CHECKING

from deskroom._lazy import lazy

if TYPE_CHECKING:
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

# Every scenario has a place for properties, and few have one: what checks them is loaded for those.
_HOMES = {
    "StepWatch": "deskroom.runs.properties.check",
    "Violation": "deskroom.runs.properties.check",
    "Audiences": "deskroom.runs.properties.matcher",
    "Bounds": "deskroom.runs.properties.matcher",
    "Matcher": "deskroom.runs.properties.matcher",
    "NextSeat": "deskroom.runs.properties.matcher",
    "NoSeat": "deskroom.runs.properties.matcher",
    "OneOf": "deskroom.runs.properties.matcher",
    "Pattern": "deskroom.runs.properties.matcher",
    "SameAs": "deskroom.runs.properties.matcher",
    "Property": "deskroom.runs.properties.property",
    "Step": "deskroom.runs.properties.step",
    "view_violations": "deskroom.runs.properties.view",
    "PropertyWatch": "deskroom.runs.properties.watch",
    "final_close": "deskroom.runs.properties.watch",
    "property_violations": "deskroom.runs.properties.watch",
}

__getattr__ = lazy(__name__, _HOMES)
