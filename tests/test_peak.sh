#!/bin/bash
# How much memory commands take, as the system counts it, against what they read and write.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# peak COMMAND...: its peak in kilobytes.
peak() {
    "$FORAY_BUILD/tests/peak" "$work/peak" "$@" >"$work/out" 2>"$work/err" || fail "fails: $*: $(head -1 "$work/err")"
    cat "$work/peak"
}

# at_most WHAT NUMBER LIMIT
at_most() {
    echo "    $1: $2 kB of at most $3"
    holds "$1: $2 kB, more than $3" test "$2" -gt 0 -a "$2" -le "$3"
}

kilobytes() { echo $(($(stat -c %s "$1") / 1024)); }

# Episodes go out as they come in. A table that is 30 times as long takes a little more, since a
# run is read a batch at a time, but never half of the table.
foray explore chain -a random -k 2000 -o short.foray >/dev/null
foray explore chain -a random -k 60000 -o long.foray >/dev/null
few=$(peak foray data short.foray -o short.csv)
many=$(peak foray data long.foray -o long.csv)
printed=$(peak foray data long.foray)
holds "the long table is long" test "$(kilobytes long.csv)" -gt 10000
holds "the file is what is printed" cmp long.csv "$work/out"
at_most "58,000 episodes more in a file" $((many - few + 1)) $(($(kilobytes long.csv) / 2))
at_most "58,000 episodes more, printed" $((printed - few + 1)) $(($(kilobytes long.csv) / 2))

# Models as JSON: at most ten times the file, whatever is in them. Tables of probabilities, and
# features, and classes.
foray world export grid:rows=100,cols=100 -o classes.json >/dev/null
foray world export mixture:states=2500 -o mixture.json >/dev/null
awk 'BEGIN { print "state,action,next,probability"
             for (s = 0; s < 15000; s++) for (a = 0; a < 2; a++) for (j = 0; j < 2; j++)
                 print s "," a "," (s + a + 7 * j) % 15000 ",0.5" }' >rows.csv
foray model import rows.csv --horizon 5 --initial 0 -o table.json >/dev/null
for model in classes mixture table; do
    holds "$model.json is large" test "$(kilobytes $model.json)" -gt 3000
    at_most "$model.json" "$(peak foray model check $model.json)" $((10 * $(kilobytes $model.json)))
done

finish
