"""A seat as a program in Python: it answers whoever gave it the turn, and ends it.

Started for each turn: deskroom run desk.toml --live 'solver=command:python examples/seat.py'
"""

import json
import sys

turn = json.loads(sys.stdin.readline())
trigger = turn["trigger"]
print(json.dumps({"call": "desk_read", "arguments": {"limit": 5}}), flush=True)
read = json.loads(sys.stdin.readline())
said = f"I have read {len(read['rows'])} entries."
if trigger is not None and trigger["author"]["type"] == "agent":
    said = f"@{trigger['author']['id']} {said}"
print(json.dumps({"call": "desk_post", "arguments": {"message": said}}), flush=True)
reply = json.loads(sys.stdin.readline())
print(json.dumps({"end": reply["text"]}), flush=True)
