#!/bin/bash
# What 'foray plan' does unless told otherwise: the plug-in plan, as rollout and compare make it,
# with the values of the policy that is written, and a word where a certificate says nothing.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- the default
foray explore rooms -k 2000 -o rooms.foray >/dev/null
foray plan rooms.foray -r goal:80 --no-store --json -o policy.json >default.out
foray plan rooms.foray -r goal:80 --no-store --json -m plugin >plugin.out
foray plan rooms.foray -r goal:80 --no-store --json -m pessimistic >pessimistic.out
for key in mode plans.0.value.policy plans.0.value.low plans.0.certificate.gap; do
    holds "the plug-in plan is the default: $key" \
        test "$(json "$key" default.out)" = "$(json "$key" plugin.out)"
done
holds "and not the pessimistic one" \
    test "$(json plans.0.value.low default.out)" != "$(json plans.0.value.low pessimistic.out)"
holds "which is what the file says" grep -q '"mode":"plugin"' policy.json

# ---- the values are those of the policy: certified again, it keeps them
foray plan rooms.foray -r goal:80 --no-store --json --radius likelihood -o likely.json >likely.out
foray certify rooms.foray likely.json -r goal:80 --json >again.out
for key in policy low high; do
    holds "the value belongs to the policy: $key" \
        test "$(json "plans.0.value.$key" likely.out)" = "$(json "certificates.0.value.$key" again.out)"
done

# ---- certificates that say nothing, about anything or about the policy
foray explore rooms -k 1 -o young.foray >/dev/null
expect 0 "^low 0: nothing is certain yet" foray plan young.foray -r goal:80 --no-store --radius run
echo '{"format":"foray-reward","version":1,"name":"cost","range":[-1,0],"default":-1,"entries":[[null,80,null,0]]}' >cost.json
expect 0 "^low -30: nothing is certain yet" foray plan young.foray -r cost.json --no-store --radius run
sed 's/"name"/"optimise":"min","name"/; s/-1,0/0,1/; s/:-1/:1/' cost.json >least.json
expect 0 "^high 30: nothing is certain yet" foray plan young.foray -r least.json --no-store --radius run
foray plan rooms.foray -r cost.json --no-store >cost.out
holds "a value below 0 is not one that nothing is known about" bash -c '! grep -q "nothing is certain" cost.out'
foray explore riverswim -k 1 --radius theorem -o young-river.foray >/dev/null
foray plan young-river.foray -r goal:0 --no-store --radius run --json >young.out
holds "vacuous in JSON" test "$(json plans.0.certificate.vacuous young.out)" = true
expect 0 "goal:0 .* vacuous" foray plan young-river.foray -r goal:0 --radius run
expect 0 "^vacuous: the certificate is as large as rewards allow" foray plan young-river.foray -r goal:0 --no-store --radius run
expect 0 "vacuous" foray info young-river.foray

# ---- a certificate of 0 up to rounding says all there is to say, also where every policy earns the same
printf 'episode,step,state,action,next\n0,0,0,0,0\n' >one.csv
foray learn unstructured:states=1,actions=1,horizon=1 one.csv -o one.foray --quiet
foray plan one.foray -r goal:0 --no-store --json >one.out
holds "the one plan is optimal" test "$(json plans.0.certificate.optimal one.out)" = '"rounding"'
holds "and not vacuous" test "$(json plans.0.certificate.vacuous one.out)" = false

# ---- without a bound
foray explore riverswim -a wang -k 20 -o wang.foray >/dev/null
foray plan wang.foray -r goal:5 --radius run --json --no-store >wang.out
holds "low is not known" test "$(json plans.0.value.low wang.out)" = null
holds "the certificate says nothing" test "$(json plans.0.certificate.vacuous wang.out)" = true
expect 0 "^goal:5 +[0-9.]+ +- +- +inf +none" foray plan wang.foray -r goal:5 --radius run --no-store

finish
