#!/bin/bash
# foray tradeoff: the table, the sentence, the files and the page; and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 4096 -o river.foray >/dev/null
cat >coins.json <<'END'
{"format":"foray-reward","version":1,"name":"coins","range":[0,10],"entries":[[null,5,null,10]]}
END
cat >walk.json <<'END'
{"format":"foray-reward","version":1,"name":"effort","optimise":"min","entries":[[null,null,1,1]]}
END

# ---- the table and the sentence
expect 0 "for every weighting one of these [0-9]+ policies loses at most" \
    foray tradeoff river.foray -r goal:0 -r goal:5
expect 0 "with probability at least 0.9" foray tradeoff river.foray -r goal:0 -r goal:5
expect 0 "divided by 1, 10: the width of each reward's range" foray tradeoff river.foray -r goal:0 -r coins.json
expect 0 "divided by 1, 100$" foray tradeoff river.foray -r goal:0 -r coins.json --scale 1,100
for wrong in 1 1,0 1,2,3 1,x -1,1 ','; do
    expect 2 "a number above 0 for each of 2 rewards" foray tradeoff river.foray -r goal:0 -r goal:5 --scale "$wrong"
done
expect 0 "exact, since theta is known" foray tradeoff riverswim -r goal:0 -r goal:5
expect 0 "these 2 policies" foray tradeoff riverswim -r goal:0 -r goal:5 --policies 2
expect 0 "as many as --policies allows" foray tradeoff riverswim -r goal:0 -r goal:5 --policies 2
expect 0 "goal:3" foray tradeoff river.foray -r goal:0 -r goal:5 -r goal:3 --policies 6
expect 1 "the certificate is" foray tradeoff river.foray -r goal:0 -r goal:5 --until 1e-9 --policies 2

# ---- the files: a policy for every line of the table, the same numbers everywhere
expect 0 "written: front" foray tradeoff river.foray -r coins.json -r walk.json -o front
foray tradeoff river.foray -r coins.json -r walk.json --json >said.json
holds "front.json is JSON" [ "$(json full front/front.json)" = false ]
holds "so is what is printed" [ "$(json full said.json)" = false ]
holds "both have the same certificate" \
    [ "$(json certificate.gap said.json)" = "$(json certificate.gap front/front.json)" ]
rows=$(($(wc -l <front/front.csv) - 1))
holds "a file for every policy" [ "$(find front -name 'policy-*.json' | wc -l)" = "$rows" ]
holds "the page has them all" [ "$(grep -c '<g class="policy' front/front.html)" = "$rows" ]
holds "the picture stands by itself" grep -q "^<svg" front/front.svg
holds "effort is to be small" grep -q "effort (less is better)" front/front.html
expect 0 "^(left|right)" foray act front/policy-01.json <<<"0"
for k in 0 1; do # what the table says of a policy is what it is certified to have
    foray certify river.foray "front/policy-0$((k + 1)).json" -r coins.json --json >one.json
    holds "policy $k has its value" awk -v a="$(json "policies.$k.value.0" front/front.json)" \
        -v b="$(json certificates.0.value.policy one.json)" 'BEGIN { exit !((a - b) ^ 2 < 1e-12) }'
done
expect 2 "exists" foray tradeoff river.foray -r coins.json -r walk.json -o front
expect 0 "" foray tradeoff river.foray -r coins.json -r walk.json -o front --force

# ---- the size of certificates: what was found when the method was worked out, and a fifth more
foray explore rooms -k 200000 -o rooms.foray >/dev/null
foray explore chain -k 16384 -o chain.foray >/dev/null
foray explore inventory -k 16384 -o inventory.foray >/dev/null
certificate() { # certificate OF WORLD GOAL...
    local of=$1 world=$2 rewards=() goal
    shift 2
    for goal; do rewards+=(-r "goal:$goal"); done
    foray tradeoff "$world.foray" "${rewards[@]}" --json >front.out
    holds "$world $*: $(json certificate.gap front.out), against $of" awk -v a="$(json certificate.gap front.out)" \
        -v b="$of" 'BEGIN { exit !(a <= 1.2 * b) }'
}
certificate .0622 rooms 92 46
certificate .1533 chain 0 30
certificate .0032 inventory 0 20
certificate .0675 rooms 92 46 20
certificate .1537 chain 0 15 30
certificate .0159 inventory 0 10 20

# ---- what is refused
expect 2 "between 2 to 5 rewards" foray tradeoff river.foray -r goal:0
expect 2 "between 2 to 5 rewards" foray tradeoff river.foray -r goal:0 -r goal:1 -r goal:2 -r goal:3 \
    -r goal:4 -r goal:5
expect 0 "for every weighting" foray tradeoff river.foray -r goal:0 -r reach:5
expect 0 "exact, since" foray tradeoff riverswim -r goal:0 -r 'task:F 5 & F (3 & X 4)'
expect 2 "is for runs" foray tradeoff riverswim -r goal:0 -r goal:5 --radius refit
expect 2 "cannot be written to standard output" foray tradeoff river.foray -r goal:0 -r goal:5 -o -

finish
