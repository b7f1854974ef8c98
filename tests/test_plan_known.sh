#!/bin/bash
# foray plan MODEL: exact plans where theta is known, and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- a built-in world and the same as a file give the same plan, which nothing beats
foray world export riverswim -o river.json >/dev/null
foray plan riverswim -r goal:5 -o world.json --json >world.out
foray plan river.json -r goal:5 -o file.json --json >file.out
grep -v '^"from"' world.json >world.plan # where it is from differs
grep -v '^"from"' file.json >file.plan
holds "the same policy" cmp world.plan file.plan
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

# ---- where nothing is unknown, whoever might explore in vain is told; otherwise nothing is said
printf '%s\n' state,action,next,probability,reward 0,0,1,1,0 0,1,0,1,2 1,0,0,1,1 >sure.csv
expect 0 "nothing is unknown, so there is nothing to explore: 'foray plan MODEL'" \
  foray model import sure.csv --horizon 4 --initial 0 -o sure.json
expect 0 "nothing is unknown" foray model check sure.json
expect 0 "nothing is unknown" foray explore sure.json -k 10 -o sure.foray
expect 0 '"unknowns": 0' foray explore sure.json -k 10 -o sure2.foray --json
foray model import sure.csv --horizon 4 --initial 0 --forget-theta -o secret_sure.json >secret_sure.out
holds "but 'foray plan' needs theta" grep -qx "nothing is unknown, so there is nothing to explore" secret_sure.out
foray model check river.json >river.out
holds "riverswim is not known" sh -c '! grep -q "nothing is unknown" river.out'

# ---- an action that a state does not have: not in a reward, a policy, or data
expect 0 "pairs +3$" foray model check sure.json
printf '{"format":"foray-reward","version":1,"name":"r","default":0,"entries":[[null,1,1,1]]}' >lacks.json
expect 3 "lacks.json:1: entries.0.: action 1 is not available in state 1" foray plan sure.json -r lacks.json
printf 'step,state,action\n0,0,0\n0,1,1\n1,0,0\n1,1,0\n2,0,0\n2,1,0\n3,0,0\n3,1,0\n' >lacks.csv
expect 3 "lacks.csv:3: action: 1 is not available in state 1" \
  foray certify sure.foray lacks.csv -r goal:0
printf 'episode,step,state,action,next\n0,0,0,0,1\n0,1,1,1,0\n' >data.csv
expect 3 "data.csv:3: action: 1 is not available in state 1" foray learn sure.json data.csv -o learnt.foray

# ---- what is known needs no range: one that is far too wide hides nothing
printf '%s\n' 0,0,0,1 0,1,0,1 >two.csv
foray model import two.csv --horizon 3 --initial 0 -o two.json >/dev/null
foray explore two.json -k 2 -o two.foray --quiet
printf '{"format":"foray-reward","version":1,"name":"r","range":[0,1e12],"entries":[[null,0,0,1],[null,0,1,1.4]]}' >wide.json
expect 0 "^r +4.2 +exact" foray plan two.json -r wide.json -o wide.policy.json
expect 0 "^r +4.2 +4.2 +0$" foray evaluate two.json wide.policy.json -r wide.json
expect 0 "^r +4.2 +exact" foray plan two.json -r wide.json -r goal:0
expect 0 "^r +3 +exact" foray plan two.json -r wide.json --optimise min
# A plan of a run may take such actions for equally good; its certificate does not.
for how in "plugin likelihood" "optimistic likelihood" "plugin run" "optimistic run" "pessimistic run"; do
    foray plan two.foray -r wide.json --no-store --truth --json -m "${how% *}" --radius "${how#* }" >wide.out
    holds "the certificate of $how bounds the gap" awk -v gap="$(json plans.0.truth.gap wide.out)" \
        -v most="$(json plans.0.certificate.gap wide.out)" 'BEGIN { exit !(gap > 1.1 && gap <= most && most < 2) }'
done

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
