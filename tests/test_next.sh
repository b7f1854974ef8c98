#!/bin/bash
# foray next: the policy to collect the next data with, what it would bring, and what became of it.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

json() {
    "$json_check" "$1" <"$2"
}
foray explore rooms:rows=2,cols=2 -a random -k 200 -o random.foray >/dev/null
foray data random.foray -o data.csv
foray learn rooms:rows=2,cols=2 data.csv -o run.foray >/dev/null
foray plan run.foray -r goal:5 --no-store --json >plan.json
expect 0 "certificate now +[0-9.]+ for goal:5, after 200 episodes" foray next run.foray -r goal:5 -o next.json --until 2.5
holds "points of the future" test "$(grep -cE '^ +[0-9,]+ more +[0-9]' "$work/out")" -eq 5
holds "and of the target" grep -qE "^for 2.5 +about [0-9,]+ more" "$work/out"
foray next run.foray -r goal:5 --no-store --json >next.txt
holds "the certificate is that of the plan" test "$(json gap next.txt)" = "$(json plans.0.certificate.gap plan.json)"
expect 0 "" foray certify run.foray next.json -r goal:5
expect 0 "verified +yes" foray verify run.foray

# ---- more data: what became of it, when they come and when it is asked again
foray explore rooms:rows=2,cols=2 -a scout -k 150 --seed 9 -o more.foray >/dev/null
foray data more.foray -o more.csv
expect 0 "what became of it +goal:5: certificate [0-9.]+, and after 150 more episodes [0-9.e-]+ \([0-9.e-]+ was foreseen\)" \
    foray learn rooms:rows=2,cols=2 more.csv --append -o run.foray
expect 0 "what became of it +goal:5" foray next run.foray -r goal:7
expect 0 "certificate now" foray next run.foray -r goal:7 -k 30
holds "no further than that" test "$(grep -cE '^ +[0-9,]+ more' "$work/out")" -eq 1
holds "nothing came since" sh -c "! grep -q became '$work/out'"
expect 0 "verified +yes" foray verify run.foray

# ---- nothing in doubt, explored runs, what nobody knows, what is refused
foray explore riverswim --until 0 --for goal:5 -o proved.foray >/dev/null
expect 0 "nothing is in doubt" foray next proved.foray -r goal:5 -o none.json
holds "no policy then" test ! -e none.json
expect 0 '"in_doubt": false' foray next proved.foray -r goal:5 --json
foray learn unstructured:states=60,actions=4,horizon=30 data.csv -o unknown.foray >/dev/null
expect 0 "certificate now +[0-9.]+ for goal:5" foray next unknown.foray -r goal:5 -o unknown.json
expect 2 "-r is required" foray next run.foray
expect 2 "one reward at a time" foray next run.foray -r goal:1 -r goal:2
expect 2 "already exists" foray next run.foray -r goal:5 -o next.json
finish
