#!/bin/bash
# Certificates from likelihoods on the command line: plans proved optimal, policies from
# elsewhere, what --require answers, and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 1024 -o river.foray >/dev/null

# ---- every goal of riverswim after 1,024 episodes
for goal in 0 1 2 3 4 5; do
    foray plan river.foray -r "goal:$goal" -m plugin --no-store --json >plan.json
    holds "goal $goal has a certificate of 0" test "$(json plans.0.certificate.gap plan.json)" = 0
    holds "goal $goal is optimal" test "$(json plans.0.certificate.optimal plan.json)" = '"proved"'
done
holds "the bound is named" test "$(json plans.0.certificate.bound plan.json)" = '"gap"'
expect 0 "optimal: proved, with probability at least 0.9" \
    foray plan river.foray -r goal:5 -m plugin --no-store
expect 0 "radius likelihood" foray plan river.foray -r goal:5 --no-store
expect 0 "radius sharp" foray plan river.foray -r goal:5 --radius run --no-store

# ---- a policy from elsewhere: a file, and CSV with a row for every step
foray plan river.foray -r goal:5 -m plugin -o policy.json --no-store >/dev/null
expect 0 "proved optimal" foray certify river.foray policy.json -r goal:5
{
    echo step,state,action
    echo "# swim right, always"
    for state in 0 1 2 3 4 5; do echo ",$state,1"; done
} >right.csv
foray certify river.foray right.csv -r goal:5 -r goal:0 --json >certified.json
holds "right is optimal for the far end" test "$(json certificates.0.certificate.gap certified.json)" = 0
holds "and surely not for the near one" \
    sh -c "foray certify river.foray right.csv -r goal:0 | grep -q certified"
truth=$(foray evaluate riverswim policy.json -r goal:5 --json | "$json_check" evaluations.0.value)
holds "the value lies in its interval" awk -v v="$truth" -v l="$(json certificates.0.value.low certified.json)" \
    -v h="$(json certificates.0.value.high certified.json)" 'BEGIN { exit !(l <= v && v <= h) }'

# ---- --require
expect 0 "" foray certify river.foray right.csv -r goal:5 --require 0
expect 1 "--require 0.5: the certificate is" foray certify river.foray right.csv -r goal:0 --require 0.5
expect 0 "" foray plan river.foray -r goal:5 -m plugin --require 0 --no-store
expect 1 "--require 0: the largest certificate is" \
    foray plan river.foray -r goal:5 --radius run --require 0 --no-store

# ---- refits: priors from earlier data, found in the record; plan, certify and bound agree
foray explore grid:rows=3,cols=3 -k 20000 -o grid.foray >/dev/null
for radius in likelihood refit; do
    foray plan grid.foray -r goal:0 --radius $radius --no-store --json -o $radius.policy >$radius.json
    foray certify grid.foray $radius.policy -r goal:0 --radius $radius --json >$radius.certified
    foray bound grid.foray --radius $radius --json >$radius.bound
    holds "$radius is named" test "$(json plans.0.certificate.radius $radius.json)" = "\"$radius\""
    holds "certify agrees with plan" test "$(json certificates.0.certificate.gap $radius.certified)" = \
        "$(json plans.0.certificate.gap $radius.json)"
done
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a < 0.95 * b) }'; }
holds "refits are sharper in long runs" below "$(json plans.0.certificate.gap refit.json)" \
    "$(json plans.0.certificate.gap likelihood.json)"
holds "for all rewards as well" below "$(json gap refit.bound)" "$(json gap likelihood.bound)"
foray plan grid.foray -r goal:0 --radius refit >/dev/null
foray report grid.foray -o grid.html >/dev/null
holds "stored plans say so" grep -q refit grid.html
foray plan grid.foray -r goal:0 --no-store --json >again.json
foray plan grid.foray -r goal:0 --radius likelihood --no-store --json >same.json
holds "refits are not the default" cmp again.json same.json
foray data grid.foray -o grid.csv >/dev/null
foray world export grid:rows=3,cols=3 -o grid.json
foray learn grid.json grid.csv -o learnt.foray >/dev/null
expect 2 "in the order in which they happened" foray plan learnt.foray -r goal:0 --radius refit --no-store

# ---- where the doubt is: one reward by default, several when asked; none where nothing is doubtful
expect 0 "where the doubt about goal:0 is" foray certify river.foray right.csv -r goal:0
expect 0 "would halve it" foray certify river.foray right.csv -r goal:0
expect 1 "an estimate of the visits that would bring it to 0.5" \
    foray certify river.foray right.csv -r goal:0 --require 0.5
holds "several rewards are not explained" \
    sh -c '! foray certify river.foray right.csv -r goal:0 -r goal:1 | grep -q doubt'
expect 0 "where the doubt about goal:1 is" foray certify river.foray right.csv -r goal:0 -r goal:1 --doubt 1
holds "nor is a proof" sh -c '! foray certify river.foray right.csv -r goal:5 | grep -q doubt'
foray certify river.foray right.csv -r goal:0 --doubt 100000 --json >doubt.json
holds "shares make up the certificate" awk -v g="$(json certificates.0.certificate.gap doubt.json)" \
    -v s="$(json certificates.0.certificate.doubt.0.3 doubt.json)" 'BEGIN { exit !(s > 0 && s <= g) }'
holds "laws say how often they were visited" test "$(json certificates.0.certificate.laws.0.visits doubt.json)" -gt 0
foray explore frozenlake:shared=0 -k 500 -o lake.foray >/dev/null
expect 0 "where the doubt about reach:15 is" foray plan lake.foray -r reach:15 --no-store
lake=(foray plan lake.foray -r reach:15 -r reach:14 --no-store)
expect 0 "written: several/reach-15.json" "${lake[@]}" -o several/
holds "files of several rewards do not say why" test "$(grep -l doubt several/*.json | wc -l)" = 0
"${lake[@]}" --json -o same/ >/dev/null
holds "nor with --json" diff -r several same
expect 0 "written: reasons/reach-15.json" "${lake[@]}" --doubt 2 -o reasons/
holds "unless it is asked for" test "$(json certificate.doubt.1.3 reasons/reach-15.json)" != none
foray plan lake.foray -r reach:15 --no-store -o one.json >/dev/null
holds "that of one reward does" grep -q doubt one.json
foray plan river.foray -r goal:5 --json --no-store >proved.json
holds "a proof has no doubt" sh -c "! grep -q doubt proved.json"

foray explore riverswim -k 60 -o safe.foray --quiet
foray plan safe.foray -r avoid:5 --quiet -o safe.json # 0 up to rounding
expect 0 "optimal up to rounding" foray certify safe.foray safe.json -r avoid:5
holds "without a table of doubts" sh -c "! foray certify safe.foray safe.json -r avoid:5 | grep -q 'where the doubt'"
foray certify safe.foray safe.json -r avoid:5 --json >safe.certified
holds "in JSON, too" test "$(json certificates.0.certificate.optimal safe.certified)" = '"rounding"'
expect 0 "^avoid:5 .* rounding *$" foray plan safe.foray -r avoid:5 --no-store
expect 0 "^rounding: optimal up to rounding, with probability at least 0.9" foray plan safe.foray -r avoid:5 --no-store
holds "and in the policy's file" test "$(json certificate.optimal safe.json)" = '"rounding"'
foray report safe.foray -o safe.html >/dev/null
holds "a page says so, and does not call it proved" grep -q "it is optimal up to rounding" safe.html
holds "and does not doubt it" sh -c "! grep -q 'Where the doubt is' safe.html"

# ---- what is refused, by line and cause
echo step,state,action,probability >drawn.csv
echo ,0,1,0.5 >>drawn.csv
expect 3 "drawn.csv: the probabilities in state 0 at step 0 do not sum to 1" \
    foray certify river.foray drawn.csv -r goal:5
head -n 4 right.csv >short.csv
expect 3 "short.csv: no action for state 2 at step 0" foray certify river.foray short.csv -r goal:5
printf 'step,state,action\n,0,7\n' >seven.csv
expect 3 "seven.csv:2: action: there is no action '7'; the model has 0 to 1" foray certify river.foray seven.csv -r goal:5
printf 'step,state,action\n0x1,0,1\n' >hex.csv
expect 3 "hex.csv:2: step: '0x1', but the model has 0 to 23, and nothing means every step" foray certify river.foray hex.csv -r goal:5
echo hello >text.csv
expect 3 "text.csv:1: 'hello' is not one of the columns that may be here: state, action, step, probability" foray certify river.foray text.csv -r goal:5
expect 3 "No such file" foray certify river.foray missing.csv -r goal:5
expect 3 "own: no such file, and no run here has stored what its world itself pays" \
    foray certify river.foray right.csv -r own

# ---- policies that draw, and differences
printf 'step,state,action,probability\n' >nine.csv
for state in 0 1 2 3 4 5; do printf ',%d,1,0.9\n,%d,0,0.1\n' $state $state; done >>nine.csv
expect 0 "^goal:5 .* certified$" foray certify river.foray nine.csv -r goal:5
expect 0 "^goal:5 .* worse by at least [0-9.]+$" foray certify river.foray nine.csv -r goal:5 --over right.csv
expect 0 "^goal:5 .* better by at least [0-9.]+$" foray certify river.foray right.csv -r goal:5 --over nine.csv
expect 0 "^goal:5 +\+0 \[\+0, \+0\]  equal$" foray certify river.foray nine.csv -r goal:5 --over nine.csv
expect 0 "" foray certify river.foray right.csv -r goal:5 --over nine.csv --require 0
expect 1 "^foray certify: --require 0.001: the certificate is" \
    foray certify river.foray nine.csv -r goal:5 --over right.csv --require 0.001
foray certify river.foray right.csv -r goal:5 --over nine.csv --json >over.json
holds "by how much, in JSON" test "$(json differences.0.difference.better_by over.json)" = \
    "$(json differences.0.difference.low over.json)"
printf 'state,action,part,odds\n' >both.csv
for state in 0 1 2 3 4 5; do printf '%d,1,0,0.25\n' $state; done >>both.csv
for state in 0 1 2 3 4 5; do printf '%d,0,1,0.75\n' $state; done >>both.csv
expect 0 "^goal:5 .* certified$" foray certify river.foray both.csv -r goal:5
expect 0 "^goal:5 .* worse by at least" foray certify river.foray both.csv -r goal:5 --over right.csv
foray evaluate riverswim both.csv -r goal:5 --json >both.value
foray evaluate riverswim right.csv -r goal:5 --json >right.value
holds "a mixture earns what its parts do, by their odds" python3 -c 'import json
both, right = (json.load(open(f))["evaluations"][0]["value"] for f in ("both.value", "right.value"))
assert abs(both - right / 4) < 1e-9 * right'

# ---- a policy as CSV is read like every CSV: comments, quotes, columns in any order
foray certify river.foray right.csv -r goal:5 --json >plain.json
same_as_right() { foray certify river.foray other.csv -r goal:5 --json | cmp - plain.json; }
printf '# ours\n\n"action",state\n1,0\n1,"1"\n1,2\n1,3\n1,4\n1,5\n' >other.csv
holds "without steps a row is about all of them" same_as_right
{
    echo step,state,action
    for step in $(seq 0 23); do for state in 0 1 2 3 4 5; do echo "$step,$state,1"; done; done
    echo ,0,0
} >other.csv
holds "a row about one step wins, wherever it stands" same_as_right
refused() { # the rows; what is said about them
    printf "%b" "$1" >other.csv
    expect 3 "$2" foray certify river.foray other.csv -r goal:5
}
refused 'step,state,action\n,0,1\n,0,0\n' \
    "other.csv:3: action: 0 in state 0 at step 0, but an earlier row has 1"
refused 'step,state,action\n3,0,1\n3,0,0\n' "other.csv:3: .* policies that draw their actions"
refused 'step,state,actions\n,0,1\n' "other.csv:1: 'actions' is not one of the columns that may be here: state, action, step, probability"
refused 'step,state,action,note\n,0,1\n' "'note' is not one of the columns"
refused 'step,state,action\n,0,"1\n' "other.csv:2: a quote is never closed"
refused 'step,state,action\n,0\n' "other.csv:2: 2 cells, but the header names 3 columns"
refused 'step,action\n,1\n' "the column 'state' is missing"
cat >partial.json <<'JSON'
{"format":"foray-model","version":1,"name":"partial","states":2,"actions":2,"horizon":2,"dim":2,"norm_bound":3,
 "initial":[[0,1]],"available":[[1,[0]]],"theta":[1,1],"state_names":["a, b","say \"c\""],"action_names":["x","y"],
 "features":[[0,0,0,[[0,0.5]]],[0,0,1,[[1,0.5]]],[0,1,0,[[1,0.5]]],[0,1,1,[[0,0.5]]],[1,0,0,[[0,0.5]]],[1,0,1,[[1,0.5]]]]}
JSON
printf 'step,state,action\n,"a, b",y\n,"say ""c""",x\n' >names.csv
expect 0 "goal:0" foray evaluate partial.json names.csv -r goal:0
printf 'step,state,action\n,0,0\n,1,1\n' >lacks.csv
expect 3 "lacks.csv:3: action: 1 is not available in state 1" foray evaluate partial.json lacks.csv -r goal:0

# ---- any algorithm's data will do, and a resumed run gives the same certificates
foray explore riverswim -a rf-ucrl -k 600 -o counts.foray >/dev/null
expect 0 "likelihood" foray plan counts.foray -r goal:5 -m plugin --no-store
foray explore riverswim -k 500 -o resumed.foray >/dev/null
foray explore --resume -k 1024 -o resumed.foray >/dev/null
foray certify resumed.foray right.csv -r goal:5 -r goal:0 --json >again.json
holds "a resumed run certifies the same" cmp certified.json again.json

# ---- a radius that was scaled down proves nothing, whatever comes out
foray explore riverswim -k 500 --radius-scale 0.01 -o scaled.foray >/dev/null
foray plan scaled.foray -r goal:5 -m plugin --no-store >scaled.txt
holds "scaled radii are heuristic" grep -q heuristic scaled.txt
holds "and prove nothing" sh -c '! grep -q "optimal: proved" scaled.txt'
holds "nor does certify" sh -c '! foray certify scaled.foray right.csv -r goal:5 | grep -q proved'

# ---- seen through clusters nothing is proved
foray explore pendulum --clusters grid:5x5 -a random -k 50 -o pendulum.foray >/dev/null
expect 2 "seen through clusters" \
    foray plan pendulum.foray -r goal:9 -m plugin --radius likelihood --no-store
foray plan pendulum.foray -r goal:9 -m plugin --no-store -o pendulum.json >/dev/null
expect 2 "seen through clusters" foray certify pendulum.foray pendulum.json -r goal:9
expect 0 "no guarantee: no proof covers clusters" \
    foray plan pendulum.foray -r goal:9 -m plugin --no-store
foray plan pendulum.foray -r goal:9 -m plugin --json >pendulum_plan.json
holds "it is an estimate" test "$(json plans.0.certificate.status pendulum_plan.json)" = '"estimate"'
holds "in the policy" grep -q '"status":"estimate",.*"because":"no proof covers clusters' pendulum.json
expect 0 estimate foray info pendulum.foray
expect 0 "status *estimate" foray bound pendulum.foray
expect 1 "nothing is proved" \
    foray plan pendulum.foray -r goal:9 --require 100 --no-store
foray report pendulum.foray -o pendulum.html >/dev/null
holds "on the page" grep -q "estimate: no proof covers clusters" pendulum.html
holds "and nowhere certified" sh -c '! grep -q certified pendulum.html pendulum.json pendulum_plan.json'
foray explore pendulum --clusters grid:5x5 -k 20 -o rfe.foray >explored.txt
holds "exploring says so too" grep -q "(estimate, " explored.txt

# ---- and after a while the data refute the model
foray explore pendulum --clusters grid:5x5 -a random -k 400 -o refuted.foray >explored.txt
holds "exploring says when" grep -q "noticed after [0-9]* episodes: the data are 10^" explored.txt
expect 0 "status *refuted" foray bound refuted.foray
expect 0 "refuted *noticed after" foray info refuted.foray
expect 0 "no guarantee: the data refute the model" foray plan refuted.foray -r goal:9
foray plan refuted.foray -r goal:9 --no-store --json >refuted.json
holds "in JSON" test "$(json refutation.refuted refuted.json)" = true
holds "and in the plan" test "$(json plans.0.certificate.status refuted.json)" = '"refuted"'
expect 1 "nothing is proved" foray plan refuted.foray -r goal:9 --require 100 --no-store
foray report refuted.foray -o refuted.html >/dev/null
holds "on the page" grep -q "the data refute the model" refuted.html
foray explore pendulum --clusters grid:5x5 -a random -k 250 -o stopped.foray >/dev/null
foray explore --resume -k 400 -o stopped.foray >/dev/null
foray info refuted.foray | grep "^refuted" >once.txt
foray info stopped.foray | grep "^refuted" >twice.txt
holds "noticed in the same episode after an interruption" cmp once.txt twice.txt
foray info river.foray --json >river.json
holds "a true model is not refuted" test "$(json refutation.refuted river.json)" = false

# ---- unless exploring obeys the model
foray explore pendulum --clusters grid:5x5 --continue fresh -a random -k 400 -o fresh.foray >/dev/null
foray plan fresh.foray -r goal:9 --no-store --json >fresh.json
holds "fresh points are certified" test "$(json plans.0.certificate.status fresh.json)" = '"certified"'
holds "the run says how" sh -c 'foray info fresh.foray | grep -q "pendulum@grid:5x5,continue=fresh"'
foray explore --resume -k 500 -o fresh.foray >/dev/null
expect 0 "status *certified" foray bound fresh.foray
expect 2 "give --draws, not --accuracy" \
    foray explore pendulum --continue fresh --accuracy 0.1 -k 5 -o none.foray
expect 2 "it must be real or fresh" foray explore pendulum --continue stale -k 5 -o none.foray
foray explore pendulum --clusters grid:5x5 --lipschitz 0.01 -a random -k 20 -o smooth.foray >/dev/null
foray plan smooth.foray -r goal:9 --no-store --json >smooth.json
holds "a known error is certified" test "$(json plans.0.certificate.status smooth.json)" = '"certified"'
finish
