#!/bin/bash
# Every allocation of the command fails in turn, alone or with all that follow: no crash, exit code
# 3 and a message that says so, inputs as they were, and outputs that are whole or not there. A
# command that gets by without that memory must do what it always does. EVERY=1 takes every
# allocation; the tests take each 40th and an ever smaller share of the later ones. SHARE=I/N takes
# the I-th of N shares of the commands, for several processes beside each other.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

preload=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/tests/fail_memory.so
holds "there is what makes commands fail" test -e "$preload"
every=${EVERY:-40}
share=${SHARE:-1/1}
failed=0 wrong=0 commands=0

complain() {
    wrong=$((wrong + 1))
    fail "$1"
}

# The command in a scene of its own, with the allocation $1 failing ("": none). What it prints is
# the file `printed`, and counts as output where nothing in it depends on time.
run_in_scene() {
    local which=$1
    shift
    rm -rf scene && cp -r template scene
    if [ -n "$which" ]; then
        (cd scene && LD_PRELOAD=$preload FAIL_MEMORY=$which "$foray" "$@" >../printed 2>../message)
    else
        (cd scene && "$foray" "$@" >../printed 2>../message)
    fi
}

# Inputs are as they were; a run that is written to may have changed, but is sound.
inputs_are_sound() {
    local changed
    changed=$(diff -rq -x "$written" template scene | grep -v '^Only in scene')
    [ -z "$changed" ] || complain "$at: $changed"
    if [ "$written" != - ]; then
        "$foray" verify "scene/$written" >/dev/null 2>&1 || complain "$at: $written is damaged"
    fi
}

# starve OUTPUT WRITTEN COMMAND...: OUTPUT is a file, a directory (files that no time is in are
# compared), "printed", or "-" for none; WRITTEN an input that the command writes to, or "-".
starve() {
    local output=$1 written=$2 number suffix code ended=0 at message
    shift 2
    ((commands++ % ${share#*/} + 1 == ${share%/*})) || return 0
    if ! run_in_scene "" "$@"; then
        complain "fails anyway: $*: $(head -1 message)"
        return
    fi
    rm -rf expected
    [ "$output" = - ] || { cd scene && cp -r "$(output_of "$output")" ../expected && cd ..; }
    for ((number = 1; ended < 2; number += every > 1 ? every + number / 10 : 1)); do
        ended=0
        for suffix in '' +; do
            at="allocation $number$suffix of $*"
            run_in_scene "$number$suffix" "$@"
            code=$?
            checks=$((checks + 1))
            inputs_are_sound
            if ((code == 0)); then
                ended=$((ended + 1))
                output_is_whole "$output" || complain "$at: exit code 0, but another output"
                continue
            fi
            failed=$((failed + 1))
            output_is_sound "$output" || complain "$at: half an output"
            message=$(<message)
            ((code == 3)) || complain "$at: exit code $code: $message"
            [[ $message == *memory* ]] || complain "$at: it does not say why: $message"
        done
    done
    echo "    $1 $2: $number allocations"
}

output_of() { if [ "$1" = printed ]; then echo ../printed; else echo "$1"; fi; }

output_is_whole() {
    [ "$1" = - ] && return 0
    local file made
    made=scene/$(output_of "$1")
    if [ "${1%.foray}" != "$1" ]; then # it says when it was made
        "$foray" verify "$made" >/dev/null 2>&1
        return
    fi
    [ -d expected ] || { cmp -s "$made" expected; return; }
    for file in summary.csv rows.csv; do
        [ ! -e "expected/$file" ] || cmp -s "expected/$file" "$made/$file" || return 1
    done
}

# After a failure a file is whole or not there; of directories the same holds for each table.
output_is_sound() {
    case $1 in
    - | printed) return 0 ;;
    *.foray) [ ! -e "scene/$1" ] || "$foray" verify "scene/$1" >/dev/null 2>&1 ;;
    *) [ ! -e "scene/$1" ] || [ -d expected ] || cmp -s "scene/$1" expected ;;
    esac
}

# ------------------------------------------------------------------------ inputs

mkdir template
foray world export chain:states=5,zones=2,horizon=4 -o template/model.json >/dev/null
foray explore template/model.json -k 20 -o template/run.foray >/dev/null
foray plan template/run.foray -r goal:1 -o template/policy.json >/dev/null
foray explore tank --clusters grid:3x3 -k 3 --draws 20 -o template/tank.foray >/dev/null
foray data template/run.foray -o template/data.csv >/dev/null
printf '%s\n' state,action,next,probability 0,0,0,0.5 0,0,1,0.5 0,1,1,1 1,0,1,1 1,1,0,1 >template/table.csv
small=(--rewards 2 --rounds 1 --threads 1)

# ---------------------------------------------------------------------- commands

starve printed - world list --json
starve new.json - world export riverswim -o new.json
starve printed - model check model.json --json
starve new.compact - model convert model.json new.compact
starve new.umb run.foray model export run.foray -r goal:1 -o new.umb
starve new.json - model import table.csv --horizon 3 --initial 0 -o new.json
starve - run.foray explore --resume -k 30 -o run.foray
starve new.foray - explore model.json -k 10 -o new.foray
starve new.json run.foray plan run.foray -r goal:3 -o new.json
starve printed run.foray plan run.foray -r goal:3 -r goal:2 -m pessimistic --truth --json
starve printed - plan model.json -r goal:3 --json
starve printed - certify run.foray policy.json -r goal:1 --json
starve printed - evaluate model.json policy.json -r goal:1 --json
starve printed - bound run.foray --json
starve printed - info run.foray --theta --trace --json
starve printed - verify run.foray --json
starve new.html - report run.foray -o new.html
starve new.csv - data run.foray -o new.csv
starve new.foray - learn model.json data.csv -o new.foray
starve new.csv - policy export policy.json --to csv -o new.csv
starve new.c - policy export policy.json --to c -o new.c
starve - tank.foray rollout tank.foray -r low --episodes 2
starve out - compare model.json -k 5 "${small[@]}" -a ucrl-rfe,random --seeds 1 -o out
starve out - lab complexity --quick --algorithms random --horizons 4 --zones 1 --states 4 --eps 1 \
    --certified-eps 3 --episodes 5 --seeds 1 "${small[@]}" -o out
starve printed - lab list
starve printed - help explore

# The allocation $1 of a command fails alone; the message must say so.
fails_with_reason() {
    run_in_scene "$@" && return
    failed=$((failed + 1)) checks=$((checks + 1))
    [[ $(<message) =~ memory ]] || complain "allocation $1 of ${*:2}: it does not say why: $(head -1 message)"
}

# The last allocations of a command, where what it found out is printed.
starve_end() {
    local low=1 high=16384 middle number
    while ((high - low > 1)); do
        middle=$(((low + high) / 2))
        if run_in_scene "$middle+" "$@"; then high=$middle; else low=$middle; fi
    done
    holds "$1 comes to an end" test "$low" -gt 100 -a "$high" -lt 16384
    for ((number = low; number > low - 20; number--)); do
        fails_with_reason "$number" "$@"
    done
}

# The first ones, where it finds out what a file is.
for number in {1..60}; do
    fails_with_reason "$number" plan model.json -r goal:3
done
starve_end compare model.json -k 5 "${small[@]}" -a random --seeds 1 -o out
# A run that lost a checkpoint is read all the same, and what was wrong with it must not be said
# later, when memory runs out.
foray explore template/model.json -k 20 -o template/patched.foray >/dev/null
LC_ALL=C sed -i 's/\([^a-z ]\)checkpoint/\1checkpoinx/g' template/patched.foray
holds "a lost checkpoint shows" test -n "$(foray verify template/patched.foray 2>&1 | grep -o checkpoint)"
starve_end info patched.foray --theta

echo "runs $failed failed $failed wrong $wrong"
finish
