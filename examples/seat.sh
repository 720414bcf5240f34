#!/bin/sh
# A seat as a shell script with jq: it completes with what the trigger said.
# Started for each turn: deskroom run desk.toml --live 'solver=command:sh examples/seat.sh'
set -eu
read -r turn
printf '%s' "$turn" |
    jq -c '{call: "desk_complete_episode", arguments: {message: ("Done: " + (.trigger.content // "nothing"))}}'
read -r reply
printf '%s' "$reply" | jq -c '{end: .text}'
