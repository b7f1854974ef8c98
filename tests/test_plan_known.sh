#!/bin/bash
# foray plan MODEL: exact plans where theta is known, and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- a built-in world and the same as a file give the same plan, which nothing beats
foray world export riverswim -o river.json >/dev/null
foray plan riverswim -r goal:5 -o world.json --json >world.out
foray plan river.json -r goal:5 -o file.json --json >file.out
holds "the same policy" cmp world.json file.json
holds "the status is exact" test "$(json plans.0.certificate.status world.out)" = '"exact"'
holds "the gap is 0" test "$(json plans.0.certificate.gap world.out)" = 0
holds "the model is named" test "$(json model file.out)" = '"river.json"'
holds "it has no episodes" test "$(json episodes file.out)" = none
foray evaluate river.json file.json -r goal:5 --json >truth.out
holds "its value is the best" test "$(json evaluations.0.optimal truth.out)" = "$(json plans.0.value.plugin world.out)"
holds "and the policy has it" test "$(json evaluations.0.value truth.out)" = "$(json plans.0.value.plugin world.out)"
expect 0 "goal:5 +[0-9.]+  exact" foray plan riverswim -r goal:5 -r goal:0
expect 0 "exact: theta is known" foray plan riverswim -r goal:5
foray world export riverswim -o river.compact >/dev/null
expect 0 "exact" foray plan river.compact -r goal:5

# ---- several rewards, standard output, --require and --truth
expect 0 "written: all/goal-0.json" foray plan riverswim -r goal:0 -r goal:5 -o all/
foray plan riverswim -r goal:5 -o - >piped.json
holds "standard output has the policy" cmp piped.json world.json
expect 0 "" foray plan riverswim -r goal:5 --require 0
expect 0 "true gap|exact" foray plan riverswim -r goal:5 --truth --map

# ---- refused by name
sed 's/"theta":\[[^]]*\],*//' river.json >secret.json
expect 3 "secret.json: the model has no theta" foray plan secret.json -r goal:5
expect 2 "--mode is for runs, and riverswim is a model" foray plan riverswim -r goal:5 -m optimistic
expect 2 "--radius is for runs" foray plan riverswim -r goal:5 --radius likelihood
expect 2 "--no-store is for runs" foray plan river.json -r goal:5 --no-store
expect 3 "pendulum is a system" foray plan pendulum -r balance
expect 3 "no such state" foray plan riverswim -r goal:6
echo hello >text.foray
expect 5 "" foray plan text.foray -r goal:5
expect 3 "" foray plan nowhere -r goal:5
finish
