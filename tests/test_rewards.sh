#!/bin/bash
# Rewards of every form on the command line: plans, certificates, the truth and files.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray world export riverswim -o river.json >/dev/null
foray explore river.json -k 1024 -o river.foray >/dev/null
cat >coins.json <<'END'
{"format":"foray-reward","version":1,"name":"coins","range":[-2,10],"default":-2,
 "entries":[[null,5,null,10],[null,0,null,-1]]}
END
cat >unit.json <<'END'
{"format":"foray-reward","version":1,"name":"unit","default":0,
 "entries":[[null,5,null,1],[null,0,null,0.08333333333333333]]}
END
cat >enter.json <<'END'
{"format":"foray-reward","version":1,"name":"enter","entries":[[null,4,null,5,1]]}
END
cat >both.json <<'END'
{"format":"foray-reward","version":1,"name":"safely","reach":[5],"avoid":[0]}
END
cat >least.json <<'END'
{"format":"foray-reward","version":1,"name":"least","optimise":"min","entries":[[null,5,null,1]]}
END

# ---- a range: the same plan, in coins: V = -2 H + 12 V'
foray plan river.foray -r coins.json -r unit.json -m plugin --radius likelihood --truth --no-store --json >range.json
in_coins() { # in_coins KEY: is coins' number -2 * 24 + 12 of unit's?
    holds "$1 is in coins" awk -v c="$(json "plans.0.$1" range.json)" -v u="$(json "plans.1.$1" range.json)" \
        'BEGIN { d = c - (-48 + 12 * u); exit !(d < 1e-9 && d > -1e-9) }'
}
in_coins value.optimistic
in_coins value.pessimistic
in_coins truth.value
in_coins truth.optimal
holds "so is the certificate" awk -v c="$(json plans.0.certificate.gap range.json)" \
    -v u="$(json plans.1.certificate.gap range.json)" 'BEGIN { d = c - 12 * u; exit !(d < 1e-9 && d > -1e-9) }'

# ---- every form: planned in every mode, certified, and as good as it says
for mode in optimistic plugin pessimistic; do
    for radius in run likelihood; do
        foray plan river.foray -r enter.json -r both.json -r least.json -r reach:5 -r avoid:0 -r coins.json \
            --discount 1 -m $mode --radius $radius --truth --no-store --json >all.json
        for i in 0 1 2 3 4 5; do
            holds "$mode $radius $i: the gap holds" awk -v g="$(json plans.$i.certificate.gap all.json)" \
                -v t="$(json plans.$i.truth.gap all.json)" 'BEGIN { exit !(t >= 0 && t <= g + 1e-9) }'
        done
    done
done

# ---- policy files, exact plans, certify and evaluate agree
foray plan river.json -r reach:5 -o best.json --json >best.out
foray certify river.foray best.json -r reach:5 --json >certified.out
holds "the interval holds the truth" awk -v v="$(json plans.0.value.plugin best.out)" \
    -v l="$(json certificates.0.value.low certified.out)" -v h="$(json certificates.0.value.high certified.out)" \
    'BEGIN { exit !(l <= v && v <= h && l >= 0 && h <= 1) }'
foray evaluate river.json best.json -r reach:5 --json >evaluated.out
holds "nothing is better" test "$(json evaluations.0.gap evaluated.out)" = 0
holds "reach and goal are not the same" \
    test "$(foray plan river.json -r goal:5 --json | "$json_check" plans.0.value.plugin)" != "$(json plans.0.value.plugin best.out)"

# ---- plans with such rewards are stored, listed and reported
foray plan river.foray -r enter.json -r both.json -r coins.json -m plugin --radius likelihood >/dev/null
expect 0 "safely" foray info river.foray
expect 0 "" foray report river.foray -o report.html
expect 0 "" foray verify river.foray

# ---- discounts
expect 0 "^goal:5 +0 +exact" foray plan riverswim -r goal:5 --optimise min
expect 0 "could add at most 0.797664" foray plan riverswim -r goal:5 --discount 0.9
foray plan river.foray -r goal:5 --discount 0.9 -m plugin --radius likelihood --truth --no-store --json >faded.json
holds "the truncation is stated" awk -v t="$(json plans.0.truncation faded.json)" \
    'BEGIN { exit !(t > 0.79766 && t < 0.79767) }'
holds "the gap holds" awk -v g="$(json plans.0.certificate.gap faded.json)" \
    -v t="$(json plans.0.truth.gap faded.json)" 'BEGIN { exit !(t >= 0 && t <= g + 1e-9) }'
expect 2 "is a probability, and those are not discounted" foray plan riverswim -r reach:5 --discount 0.9

# ---- refused, by name or by line
foray explore river.json -a rf-express -k 50 -o counts.foray >/dev/null
for reward in enter.json reach:5; do
    expect 2 "and rf-express plans for rewards r\(s,a\) alone" foray plan counts.foray -r $reward --radius run --no-store
    expect 0 "" foray plan counts.foray -r $reward -m plugin --radius likelihood --no-store
done
expect 0 "coins" foray plan counts.foray -r coins.json --radius run --no-store
expect 2 "ucrl-vtr explores for rewards r\(s,a\) alone" \
    foray explore river.json -a ucrl-vtr -r reach:5 -k 10 -o seen.foray
sed 's/null,10\]/null,11]/' coins.json >rich.json
expect 3 "rich.json:2: entries\[0\]: value 11 is not between -2 and 10" foray plan river.json -r rich.json
expect 3 "reach:5,9: no such state: 9" foray plan river.json -r reach:5,9
sed 's/4,null,5/0,null,5/' enter.json >never.json
expect 3 "never.json:1: entries.*next state 5 cannot follow state 0 under any action in this model; what can: 0, 1" foray plan river.json -r never.json

# ---- the bound for all rewards of a kind
for kind in pair next reach; do foray bound river.foray --kind $kind --json >$kind.json; done
holds "what follows costs more" awk -v p="$(json gap pair.json)" -v n="$(json gap next.json)" -v r="$(json gap reach.json)" \
    'BEGIN { exit !(p <= n && r <= 1) }'
finish
