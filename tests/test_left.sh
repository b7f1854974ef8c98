#!/bin/bash
# What needs more memory than there is left is refused beforehand, with a reason and what would
# help; and policies that do not fit into memory together are planned for in turns.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# within KILOBYTES COMMAND...: a limit of addresses stands for a small machine.
within() {
    (
        ulimit -v "$1"
        shift
        "$@"
    )
}

large=mixture:states=2e6,actions=4,successors=5,dim=4
expect 3 "mixture: a model of 1.6e\+08 numbers, which these parameters make, takes at least 1.92 GB of memory, but only 1\.[0-9]+ GB are left; ask for fewer states" \
    within 1000000 foray world export $large -o large.compact
expect 0 "" foray world export mixture:states=1e5,dim=2 -o mixture.compact
expect 3 "mixture.compact: the model takes at least 0\.[0-9]+ GB of memory, but only" \
    within 60000 foray model check mixture.compact
expect 3 "exploring this model takes at least 0\.[0-9]+ GB of memory, but only" \
    within 60000 foray explore chain:states=31,horizon=700000 -k 1 -o long.foray
holds "nothing is left of it" test ! -e long.foray

# 400 policies of 1,000 steps for 400 states: 160 at a time.
turns=chain:states=400,horizon=1000
expect 0 "^goal:399 .* exact" foray plan $turns -r goals
grep '^goal' "$work/out" >turns.txt
holds "there is a row for each of them" test "$(wc -l <turns.txt)" -eq 400
expect 0 "" foray plan $turns -r goal:0 -r goal:159 -r goal:160 -r goal:399
grep '^goal' "$work/out" | awk '{ print $1, $2 }' >named.txt
grep -E '^goal:(0|159|160|399) ' turns.txt | awk '{ print $1, $2 }' >same.txt
holds "turns change no value" cmp named.txt same.txt
expect 0 "" foray plan $turns -r goals --json -o policies/
holds "all plans are in one object" test "$(grep -c '"reward":' "$work/out")" -eq 400
holds "and all policies in files" test "$(find policies -name '*.json' | wc -l)" -eq 400
expect 2 "\-\-map needs all policies at once, which take 1.28 GB for 400 rewards" \
    foray plan $turns -r goals --map
peak=$("$FORAY_BUILD/tests/peak" "$work/peak" foray plan $turns -r goals >/dev/null && cat "$work/peak")
holds "400 policies take 640 MB, and the command $peak kB" test "${peak:-0}" -lt 400000

finish
