#!/bin/bash
# foray report in a real browser: no errors, every picture drawn on small and large
# screens, and the run's own numbers in the page.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"
# shellcheck source=tests/browser.sh
. "$source_dir/tests/browser.sh"

visits_sum_to() {
    awk -F'|' -v want="$1" '/^row visits-data [0-9]/ { sum += $5 } END { exit sum != want }' "$2"
}

# The number in a cell is that at a path of the run's JSON.
same_number() {
    local got wanted
    got=$(cell "$1" "$2" "$3")
    wanted=$(json "$4" run.json)
    holds "$name: row $2 of $1 has $4: $got, $wanted" \
        awk -v a="$got" -v b="$wanted" 'BEGIN { exit !(a != "" && a + 0 == b + 0) }'
}
# The same for field $2 of a plan in the table that the page offers as CSV.
same_plan() {
    holds "$name: plan $1 has the run's $3" awk -v a="$(cut -d, -f"$2" <<<"$plan")" \
        -v b="$(json "plans.$1.$3" run.json)" 'BEGIN { exit !(a != "" && a + 0 == b + 0) }'
}
check_numbers() {
    local i plan
    expect 0 "" foray info "$name.foray" --theta --trace --json
    cp "$work/out" run.json
    for i in 0 1 2 3; do
        same_number theta $((i + 1)) 2 "theta.estimate.$i"
        same_number theta $((i + 1)) 5 "theta.half_width.$i"
        same_number theta $((i + 1)) 6 "theta.truth.$i"
        same_number trace $((i + 1)) 1 "trace.$i.episodes"
        same_number trace $((i + 1)) 2 "trace.$i.plans"
        same_number trace $((i + 1)) 3 "trace.$i.bound"
    done
    for i in 0 1; do
        plan=$(csv plans.csv | sed -n "$((i + 2))p")
        same_plan "$i" 4 episodes
        same_plan "$i" 8 certificate.gap
    done
    # Every step of every episode is a visit.
    holds "$name: visits are episodes times steps" visits_sum_to "$1" "$name-1600.txt"
}

expect 0 "" foray explore rooms -k 3000 -o rooms.foray
expect 0 "" foray plan rooms.foray -r goal:0 -r goal:80 -m plugin
expect 0 "page +rooms.html" foray report rooms.foray -o rooms.html
expect 0 "" foray explore inventory -k 1000 -o inventory.foray
expect 0 "" foray plan inventory.foray -r goal:2 -r goal:5
expect 0 '"page": "inventory.html"' foray report inventory.foray -o inventory.html --json
look rooms inventory

name=rooms
holds "rooms: start and goal are marked" test "$(grep -c '<circle class="mark"' rooms.html)" -ge 8 -a \
    "$(grep -c '<rect class="mark"' rooms.html)" -ge 8
check_numbers $((3000 * 30))
name=inventory
check_numbers $((1000 * 20))

# The command in the page makes the run again, number for number.
sed -n '/<pre id="command">/,/<\/pre>/p' rooms.html | sed 's/<[^>]*>//g' >again.sh
mkdir again && cd again || exit 1
expect 0 "" bash ../again.sh
expect 0 "" foray report rooms.foray -o rooms.html
holds "the page's commands bring back the page" \
    cmp <(grep -v "<dt>created" ../rooms.html) <(grep -v "<dt>created" rooms.html)
cd ..

# Refusals.
expect 2 "-o is required" foray report rooms.foray
expect 3 "nowhere" foray report nowhere.foray -o page.html
expect 3 "" foray report rooms.foray -o no/such/page.html
expect 3 "this is a page, but a run is expected" foray report rooms.html -o page.html
holds "nothing was written in vain" test ! -e page.html
finish
