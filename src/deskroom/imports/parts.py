"""A message's content as one text: the parts that say something, joined as a framework joins them.

The frameworks agree on what a part is: a string, or an object with a ``type``. A picture or a file
stands for itself only where there is no text beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from deskroom.errors import FileError
from deskroom.imports.jsontext import parse_json

__all__ = ["Said", "arguments_of", "as_json", "handed_to", "said_in"]

_TEXTS: Final = frozenset(("text", "input_text", "output_text"))
_PICTURES: Final = frozenset(("image", "image_url", "input_image"))
_FILES: Final = frozenset(("file", "input_file", "document", "media", "text-plain"))
_SOUNDS: Final = frozenset(("audio", "input_audio", "video"))
_THOUGHTS: Final = frozenset(("reasoning", "thinking", "redacted_thinking", "reasoning_content"))
_CALLS: Final = frozenset(
    ("tool_use", "tool_call", "function_call", "server_tool_use", "server_tool_call")
)
_HANDS_TO: Final = ("transfer_to_", "transfer_back_to_")
#: Of a name that a stranger's file gives a part or a file.
_MOST: Final = 200


@frozen(kw_only=True)
class Said:
    """What the parts of a message say: its ``text``, and one word for each part that is left out.

    ``calls`` says whether a part asks for a tool, which is counted with the message.
    """

    text: str = ""
    left: tuple[str, ...] = ()
    calls: bool = False


def said_in(content: object, joint: str) -> Said | None:
    """Return what a content says; None for what is no content: not a string, list or null.

    Texts are joined with ``joint``; a list of plain strings is lines.
    """
    if content is None or isinstance(content, str):
        return Said(text=content or "")
    if not isinstance(content, list):
        return None
    texts: list[str] = []
    shown: list[str] = []
    media: list[str] = []
    others: list[str] = []
    for part in content:
        kind, text = _part(part)
        if kind == "text":
            texts.append(text)
        elif text:
            shown.append(text)
            media.append(kind)
        else:
            others.append(kind)
    if content and all(isinstance(part, str) for part in content):
        joint = "\n"
    calls = "tool call" in others
    left = [kind for kind in others if kind != "tool call"]
    if any(text.strip() for text in texts):
        return Said(text=joint.join(texts), left=(*left, *media), calls=calls)
    return Said(text=joint.join(shown), left=tuple(left), calls=calls)


def _part(part: object) -> tuple[str, str]:
    """Return what a part is, and its text or what stands for it."""
    if isinstance(part, str):
        return "text", part
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return "other part", ""
    kind = part["type"]
    for kinds, key in ((_TEXTS, "text"), (("refusal",), "refusal")):
        if kind in kinds:
            text = part.get(key)
            return ("text", text) if isinstance(text, str) else ("other part", "")
    if kind in _PICTURES:
        return "image", "[image]"
    if kind in _FILES:
        name = _file_name(part)
        return "file", f"[file: {name}]" if name else "[file]"
    if kind in _SOUNDS:
        sound = kind.removeprefix("input_")
        return sound, f"[{sound}]"
    if kind in _THOUGHTS:
        return "reasoning", ""
    if kind in _CALLS:
        return "tool call", ""
    return "tool result" if kind.endswith(("_result", "_output")) else "other part", ""


def _file_name(part: Mapping[str, Any]) -> str:
    """Return the name of a file, from where the frameworks keep it; empty if there is none."""
    for holder in (part, part.get("file"), part.get("extras"), part.get("metadata")):
        for key in ("filename", "file_name", "name", "title"):
            name = holder.get(key) if isinstance(holder, dict) else None
            if isinstance(name, str) and name.strip():
                return " ".join(name.split())[:_MOST]
    return ""


def arguments_of(value: object, path: str) -> Mapping[str, Any]:
    """Return the arguments of a recorded call, an object or JSON of one; empty for what is neither."""
    if isinstance(value, str):
        try:
            value = parse_json(value, path)
        except FileError:
            return {}
    return value if isinstance(value, dict) else {}


def handed_to(tools: Iterator[object]) -> str | None:
    """Return whom calls of tools such as ``transfer_to_NAME`` hand the turn to: the last of them."""
    target = None
    for tool in tools:
        for prefix in _HANDS_TO:
            if isinstance(tool, str) and tool.startswith(prefix) and tool != prefix:
                target = tool.removeprefix(prefix)
    return target


def as_json(value: object) -> str:
    """Return a value as the frameworks write structured content: JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
