#!/bin/bash
# foray rollout of runs that explored a model: simulated episodes where its parameters are known, and
# what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 300 --quiet -o swim.foray
foray plan swim.foray -r goal:5 -r reach:5 -r goal:3 -m optimistic --truth --no-store --json >plans.json
foray rollout swim.foray -r goal:5 -r reach:5 -r goal:3 -m optimistic -n 8000 --json >returns.json
for i in 0 1 2; do
    holds "the return of reward $i is the true value, up to what chance does" awk \
        -v mean="$(json rewards.$i.return.mean returns.json)" -v truth="$(json plans.$i.truth.value plans.json)" \
        -v deviation="$(json rewards.$i.return.deviation returns.json)" \
        'BEGIN { exit !(mean > 0 && deviation > 0 && mean - truth <= 4 * deviation / sqrt(8000) && truth - mean <= 4 * deviation / sqrt(8000)) }'
    holds "the model's value is that of the policy, $i" \
        test "$(json rewards.$i.model_value returns.json)" = "$(json plans.$i.value.policy plans.json)"
done
holds "JSON says that episodes were simulated" test "$(json simulated returns.json)" = true
foray rollout swim.foray -r goal:5 -n 50 --threads 1 >one
foray rollout swim.foray -r goal:5 -n 50 --threads 2 >two
holds "threads change nothing" cmp one two
holds "and text says so" grep -qx "episodes were simulated with the parameters of the model" one
holds "nothing is said about clusters" bash -c '! grep -q "misfit\|aggregation" one'
foray rollout swim.foray -r goal:5 -n 50 --seed 2 >other
holds "another seed, other episodes" bash -c '! cmp -s one other'

expect 3 'riverswim names no rewards: give one with -r' foray rollout swim.foray
foray world export riverswim -o river.json >/dev/null
sed 's/"theta":\[[^]]*\],*//' river.json >secret.json
foray data swim.foray -o swim.csv
foray learn secret.json swim.csv --quiet -o secret.foray
expect 3 'whose true parameters the model does not have' foray rollout secret.foray -r goal:5
finish
