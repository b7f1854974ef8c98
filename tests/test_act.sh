#!/bin/bash
# Policies in use: 'foray act', and what 'foray policy export' writes, compiled and compared with it.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- by number and by name
foray plan riverswim -r goal:5 -o river.json >/dev/null
printf '0\nplace 1\n\n5\n' >states
foray act river.json <states >actions
holds "an answer for each state, none for an empty line" test "$(tr '\n' ' ' <actions)" = "right right right "
foray act river.json --numbers <states >numbers
holds "by number" test "$(tr '\n' ' ' <numbers)" = "1 1 1 "
# The horizon of riverswim is 24.
for _ in $(seq 25); do echo 0; done >long
expect 3 "line 25: the episode has 24 steps" bash -c "'$foray' act river.json <long"
holds "all but the last were answered" test "$(wc -l <"$work/out")" -eq 24
for bad in 6 -1 place 1.5 "place 6" 0,0; do
    expect 3 "line 2: a state is expected: a number below 6, or a name" \
        bash -c "printf '0\n%s\n' '$bad' | '$foray' act river.json"
done
expect 3 "not a byte of zero" bash -c "printf '0\\0\n' | '$foray' act river.json"
expect 3 "river.foray" foray act river.foray
# Answers are not held back until the input ends.
coproc ACT { "$foray" act river.json --numbers; }
act=$ACT_PID # the shell forgets it when the program has ended
echo 3 >&"${ACT[1]}"
answer=
read -r -t 20 answer <&"${ACT[0]}"
holds "the answer comes at once" test "$answer" = 1
eval "exec ${ACT[1]}>&-"
wait "$act"

# ---- CSV is read back as the same policy
foray explore riverswim -k 200 -o river.foray >/dev/null
foray plan river.foray -r goal:5 -o learnt.json >/dev/null
foray policy export learnt.json -o learnt.csv
foray certify river.foray learnt.json -r goal:5 --json >one.out
foray certify river.foray learnt.csv -r goal:5 --json >other.out
holds "CSV has the same certificate" cmp one.out other.out
foray evaluate riverswim learnt.json -r goal:5 >one.out
foray evaluate riverswim learnt.csv -r goal:5 >other.out
holds "and the same value" cmp one.out other.out
expect 2 "give --to" foray policy export learnt.json -o learnt.txt
expect 2 "FILE is missing" foray policy export learnt.json --to c

# ---- C, compiled without a warning
compile() { # compile NAME VECTORS: NAME.json as a program that reads what 'foray act' reads
    foray policy export "$1.json" --to c -o "$1.c" --force
    {
        echo '#include <stdio.h>'
        echo "#include \"$1.c\""
        echo 'int main(void)'
        echo '{'
        if [[ $2 -gt 0 ]]; then
            echo "    double state[$2]; int step = 0, i;"
            echo "    for (;; step = (step + 1) % ${1}_steps) {"
            echo "        for (i = 0; i < $2; i++) if (scanf(\"%lf\", &state[i]) != 1) return 0;"
        else
            echo '    int state, step = 0;'
            echo "    for (; scanf(\"%d\", &state) == 1; step = (step + 1) % ${1}_steps) {"
        fi
        echo "        printf(\"%d%c\", ${1}_action(step, state), 10);"
        echo '    }'
        echo '}'
    } >"$1_main.c"
    holds "$1.c compiles" "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror -O2 "$1_main.c" -o "$1"
}
compare() { # compare NAME HORIZON: the same answers, with empty lines between episodes
    awk -v h="$2" '{ print } NR % h == 0 { print "" }' vectors | foray act "$1.json" --numbers >by_act
    "./$1" <vectors >by_c
    holds "$1: act and C agree on $(wc -l <by_act) states" cmp by_act by_c
    holds "$1: more than one action was taken" test "$(sort -u by_act | wc -l)" -gt 1
}
awk 'BEGIN { srand(1); for (i = 0; i < 480; i++) print int(6 * rand()) }' >vectors
compile learnt 0
compare learnt 24
cat >outside.c <<'C'
#include "learnt.c"
int main(void)
{
    return !(learnt_action(-1, 0) == -1 && learnt_action(24, 0) == -1 && learnt_action(0, 6) == -1 &&
             learnt_action(0, -1) == -1);
}
C
"${CC:-cc}" -std=c99 outside.c -o outside
holds "no such step or state: -1" ./outside

# ---- vectors: within the box and beyond, on the points of the grid, and half way between them
foray explore pendulum --clusters grid:9x7 -k 20 -o grid.foray >/dev/null
foray explore pendulum --clusters radial:60 -k 20 -o radial.foray >/dev/null
awk 'BEGIN {
    srand(2)
    for (i = 0; i < 6000; i++) printf "%.17g %.17g\n", 8 * rand() - 4, 20 * rand() - 10
    for (i = 0; i < 17; i++) for (j = 0; j < 13; j++)
        printf "%.17g %.17g\n", -3.141592653589793 + i * 3.141592653589793 / 8, -8 + j * 16 / 12
}' >vectors
for kind in grid radial; do
    foray plan "$kind.foray" -r balance -o "$kind.json" >/dev/null
    compile "$kind" 2
    compare "$kind" 40
done
expect 3 "line 1: 2 finite numbers are expected" bash -c "echo 1 | '$foray' act grid.json"
expect 3 "line 1: 2 finite numbers are expected" bash -c "echo 1 nan | '$foray' act radial.json"
expect 3 "line 1: 2 finite numbers are expected" bash -c "echo 1 2 3 | '$foray' act radial.json"

finish
