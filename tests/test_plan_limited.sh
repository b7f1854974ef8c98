#!/bin/bash
# foray plan --subject-to: thirteen problems against exact answers, and what is done with a mixture.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore rooms -k 200000 -o rooms.foray >/dev/null
foray explore chain -k 16384 -o chain.foray >/dev/null
foray explore inventory -k 16384 -o inventory.foray >/dev/null

# ---- whatever is said, the exact answer agrees: certified limits are kept, the loss is at most the
# certificate, and what is proved impossible is impossible
# shellcheck disable=SC2317 # holds calls it
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b + 1e-6) }'; }
declare -A said=([kept]=0 [undecided]=0 [impossible]=0)
problem() { # problem WORLD REWARD LIMIT...
    local world=$1 reward=$2 limits=() limit i=0
    shift 2
    for limit; do limits+=(--subject-to "$limit"); done
    rm -f mixture.json
    foray plan "$world.foray" -r "$reward" "${limits[@]}" -o mixture.json --json >run.json
    foray plan "$world" -r "$reward" "${limits[@]}" --json >exact.json
    local outcome
    outcome=$(json outcome run.json | tr -d '"')
    said[$outcome]=$((said[$outcome] + 1))
    local what="$world $reward $*"
    if [[ $outcome == impossible ]]; then
        holds "$what is impossible" grep -q '"impossible"' exact.json
    elif [[ $outcome == kept ]]; then
        holds "$what can be kept" grep -q '"kept"' exact.json
        foray evaluate "$world" mixture.json -r "$reward" --json >true.json
        local lost
        lost=$(awk -v a="$(json value.policy exact.json)" -v b="$(json evaluations.0.value true.json)" \
            'BEGIN { print a - b }')
        holds "$what: loses $lost at most" below "$lost" "$(json certificate.gap run.json)"
        for limit; do
            foray evaluate "$world" mixture.json -r "${limit%% *}" --json >true.json
            local value bound=${limit##* }
            value=$(json evaluations.0.value true.json)
            if [[ $limit == *'<='* ]]; then
                holds "$what: $value is kept" below "$value" "$bound"
            else
                holds "$what: $value is kept" below "$bound" "$value"
            fi
            holds "$what: $value is in its interval" below "$(json limits.$i.low run.json)" "$value"
            holds "$what: $value is in its interval" below "$value" "$(json limits.$i.high run.json)"
            i=$((i + 1))
        done
    fi
}
problem rooms goal:92 'goal:46 >= 2'
problem rooms goal:92 'goal:46 >= 5'
problem rooms goal:92 'goal:46 <= 0.1'
problem rooms goal:92 'goal:46 >= 4' 'goal:20 >= 1' 'goal:60 >= 1'
problem rooms goal:92 'goal:46 >= 7.35'
problem rooms goal:92 'goal:46 >= 7.7'
problem rooms goal:92 'goal:46 >= 5' 'goal:92 >= 3'
problem rooms goal:92 'goal:46 >= 5' 'goal:92 >= 4.7'
problem chain goal:0 'goal:30 >= 1.5'
problem chain goal:0 'goal:30 >= 1' 'goal:15 <= 2'
problem chain goal:0 'goal:30 >= 4'
problem inventory goal:0 'goal:20 >= 2' 'goal:10 >= 0.5'
problem inventory goal:0 'goal:20 >= 2.96'
echo "kept ${said[kept]}, undecided ${said[undecided]}, impossible ${said[impossible]}"
holds "all three outcomes" [ "${said[kept]}" -ge 7 ] && holds "some" [ "${said[undecided]}" -ge 1 ]
holds "three are impossible" [ "${said[impossible]}" -ge 3 ]

# ---- how large losses are: what was found when the method was worked out, and a fifth more
loses() { # loses OF WORLD REWARD LIMIT...
    local of=$1 world=$2 reward=$3 limits=() limit
    shift 3
    for limit; do limits+=(--subject-to "$limit"); done
    foray plan "$world.foray" -r "$reward" "${limits[@]}" --json >run.json
    holds "$world $reward $*: $(json certificate.gap run.json), against $of" \
        awk -v a="$(json certificate.gap run.json)" -v b="$of" 'BEGIN { exit !(a <= 1.2 * b) }'
}
loses .0418 rooms goal:92 'goal:46 >= 2'
loses .3739 chain goal:0 'goal:30 >= 1.5'
loses .1233 rooms goal:92 'goal:46 >= 4' 'goal:20 >= 1' 'goal:60 >= 1'
loses .5762 inventory goal:0 'goal:20 >= 2' 'goal:10 >= 0.5'

# ---- in words
expect 0 "every limit is kept under every law that fits the data" \
    foray plan rooms.foray -r goal:92 --subject-to 'goal:46 >= 2' -o mix.json
expect 0 "a mixture of 2 policies, one of which is drawn" foray plan rooms -r goal:92 --subject-to 'goal:46>=2'
expect 1 "would have to be at least 7.7, and no policy has more than" \
    foray plan rooms.foray -r goal:92 --subject-to 'goal:46 >= 7.7'
expect 1 "undecided.*|is missing in what is certain" \
    foray plan rooms.foray -r goal:92 --subject-to 'goal:46 >= 7.35'
expect 1 "the certificate is" foray plan rooms.foray -r goal:92 --subject-to 'goal:46 >= 2' --require 1e-3

# ---- the mixture is a policy like others
expect 0 "certified" foray certify rooms.foray mix.json -r goal:46
expect 0 "goal:92" foray evaluate rooms mix.json -r goal:92
expect 0 "mixture of 2 policies" foray act mix.json <<<"0"
expect 0 "" foray policy export mix.json -o mix.csv
expect 0 "" foray policy export mix.json -o mix.c
expect 0 "" foray certify rooms.foray mix.csv -r goal:46
foray plan rooms.foray -r goal:46 -o other.json >/dev/null
expect 0 "better by at least" foray certify rooms.foray mix.json -r goal:92 --over other.json

# ---- what is refused
expect 2 "a limit is REWARD >= NUMBER" foray plan rooms.foray -r goal:92 --subject-to 'goal:46 > 2'
expect 2 "a limit is REWARD >= NUMBER" foray plan rooms.foray -r goal:92 --subject-to 'goal:46 >= inf'
expect 2 "one -r only" foray plan rooms.foray -r goal:92 -r goal:3 --subject-to 'goal:46 >= 2'
expect 2 "cannot be combined with" foray plan rooms.foray -r goal:92 -m optimistic --subject-to 'goal:46 >= 2'
expect 3 "no such state|No such file|there is no" foray plan rooms.foray -r goal:92 --subject-to 'goal:4600 >= 2'

# ---- events are remembered beside rewards that go on; alone and beside, they are equally likely
expect 0 "every limit is kept" foray plan chain.foray -r goal:0 --subject-to 'avoid:30 >= 0.5' --subject-to 'reach:10 >= 0.3'
foray plan chain -r goal:0 --subject-to 'reach:30 >= 0.2' -o there.json --json >there.out
foray evaluate chain there.json -r reach:30 -r goal:0 --json >there.true
holds "reach:30 is at least 0.2" below 0.2 "$(json evaluations.0.value there.true)"
holds "and goal:0 what was said" below "$(json value.policy there.out)" "$(json evaluations.1.value there.true)"
expect 1 "no policy has more than" foray plan chain.foray -r goal:0 --subject-to 'reach:30 >= 0.999'
limits=()
for i in 1 2 3 4 5 6 7 8 9; do limits+=(--subject-to "goal:$i >= 0"); done
expect 2 "1 to 8 limits" foray plan rooms.foray -r goal:92 "${limits[@]}"
finish
