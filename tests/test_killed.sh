#!/bin/bash
# Commands killed (SIGKILL) at the calls that change files: before, in the middle of and after each
# of them. Afterwards no command refuses what is there, and the same command, or the one that
# resumes, ends where it would have ended. EVERY=1 takes every call, ALGORITHMS explores with others;
# the tests take fewer. scripts/attack adds up the totals.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

preload=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/tests/die_writing.so
holds "there is what makes commands fail" test -e "$preload"
every=${EVERY:-11}
algorithms=${ALGORITHMS:-ucrl-rfe}
kills=0 refused=0 different=0

# Something that must not be refused; what it printed goes to the file `said`.
accept() {
    checks=$((checks + 1))
    if ! "$@" >said 2>complaint; then
        refused=$((refused + 1))
        fail "refused after a kill at $at: $*: $(head -1 complaint)"
    fi
}

# Must be the same file.
same() {
    checks=$((checks + 1))
    if ! cmp -s "$1" "$2"; then
        different=$((different + 1))
        fail "after a kill at $at, $1 differs from $2"
    fi
}

# attack NAME: prepare_NAME, then victim_NAME killed at one call after the other, each followed by
# mend_NAME.
attack() {
    local name=$1 number ended=0 suffix code before=$kills
    for ((number = every > 1 ? 4 : 1; !ended; number += every)); do
        for suffix in '' / +; do
            at="$name $number$suffix"
            rm -rf scene && mkdir scene
            "prepare_$name"
            # The subshell keeps bash from reporting the kill.
            (LD_PRELOAD=$preload DIE_AT=$number$suffix "victim_$name" >/dev/null 2>&1; exit $?) 2>/dev/null
            code=$?
            if ((code == 137)); then
                kills=$((kills + 1))
                "mend_$name"
            elif ((code != 0)); then
                fail "exit code $code at $at"
                ended=1
            else
                ended=1
            fi
        done
    done
    echo "    $name: $((kills - before)) kills"
}

# What a run is: its episodes replayed, its bound, its estimate, a plan.
describe() {
    foray verify "$1" >/dev/null && foray bound "$1" --json && foray plan "$1" -r goal:2 --json
}

# Readers take the run as the kill left it.
read_run() {
    accept foray info "$1"
    accept foray bound "$1"
    accept foray verify "$1"
}

# ------------------------------------------------------------------------ runs

world=chain:states=5,zones=2,horizon=4
for algorithm in $(printf '%s\n' ucrl-rfe rf-ucrl $algorithms | sort -u); do
    foray explore "$world" -a "$algorithm" -k 300 -o "half-$algorithm.foray" >/dev/null
    cp "half-$algorithm.foray" run.foray
    foray explore --resume -k 600 -o run.foray >/dev/null
    describe run.foray >"whole-$algorithm"
done

prepare_explore() { :; }
victim_explore() { foray explore "$world" -a "$algorithm" -k 600 -o scene/run.foray; }
mend_explore() {
    if [ -e scene/run.foray ]; then
        read_run scene/run.foray
        accept foray explore --resume -k 600 -o scene/run.foray
    else
        accept foray explore "$world" -a "$algorithm" -k 600 -o scene/run.foray
    fi
    mv scene/run.foray run.foray
    accept describe run.foray
    same said "whole-$algorithm"
}

prepare_resume() { cp "half-$algorithm.foray" scene/run.foray; }
victim_resume() { foray explore --resume -k 600 -o scene/run.foray; }
mend_resume() { mend_explore; }

for algorithm in $algorithms; do
    attack explore
    attack resume
done

# Another run in the place of one: the old one or the new one.
algorithm=ucrl-rfe
prepare_replace() { cp half-rf-ucrl.foray scene/run.foray; }
victim_replace() { foray explore "$world" -a ucrl-rfe -k 600 --force -o scene/run.foray; }
mend_replace() {
    read_run scene/run.foray
    accept foray explore "$world" -a ucrl-rfe -k 600 --force -o scene/run.foray
    mend_explore
}
attack replace

# Plans kept in the run, and a policy in the place of another.
foray plan half-ucrl-rfe.foray -r goal:1 -o old.json >/dev/null
cp half-ucrl-rfe.foray run.foray
foray plan run.foray -r goal:3 -o new.json >/dev/null
prepare_plan() { cp half-ucrl-rfe.foray scene/run.foray && cp old.json scene/policy.json; }
victim_plan() { foray plan scene/run.foray -r goal:3 -o scene/policy.json --force; }
mend_plan() {
    cmp -s scene/policy.json old.json || same scene/policy.json new.json
    read_run scene/run.foray
    accept foray plan scene/run.foray -r goal:3 -o scene/policy.json --force
    same scene/policy.json new.json
    mend_explore
}
attack plan

# ------------------------------------------------------------------------ data

# Episodes out of a run, and a run out of episodes; half a file of data is never there.
foray data half-ucrl-rfe.foray -o data.csv >/dev/null
foray learn "$world" data.csv -o learnt.foray >/dev/null
describe learnt.foray >whole-learnt
prepare_data() { cp half-ucrl-rfe.foray scene/run.foray; }
victim_data() { foray data scene/run.foray -o scene/data.csv; }
mend_data() {
    [ ! -e scene/data.csv ] || same scene/data.csv data.csv
    accept foray data scene/run.foray --force -o scene/data.csv
    same scene/data.csv data.csv
}
attack data
prepare_learn() { :; }
victim_learn() { foray learn "$world" data.csv -o scene/run.foray; }
mend_learn() {
    [ ! -e scene/run.foray ] || read_run scene/run.foray
    accept foray learn "$world" data.csv --force -o scene/run.foray
    mv scene/run.foray learnt.foray
    describe learnt.foray >described
    same described whole-learnt
}
attack learn

# ---------------------------------------------------------------- comparisons

# In the tables of a comparison nothing depends on time.
small=(--rewards 2 --rounds 1 --threads 1)
contest=(compare riverswim:states=4 -k 20 "${small[@]}" -a "ucrl-rfe,random" --seeds 2)
foray "${contest[@]}" -o contest >/dev/null
prepare_compare() { :; }
victim_compare() { foray "${contest[@]}" -o scene/contest; }
mend_compare() {
    accept foray "${contest[@]}" -o scene/contest
    for file in rows.csv summary.csv learning.csv worst.svg mean.svg; do
        same "scene/contest/$file" "contest/$file"
    done
}
attack compare
victim_shard() { foray "${contest[@]}" --shard 2/3 -o scene/contest; }
prepare_shard() { foray "${contest[@]}" --shard 1/3 -o scene/contest >/dev/null; }
mend_shard() {
    accept foray "${contest[@]}" --shard 2/3 -o scene/contest
    mend_compare
}
attack shard

experiment=(lab complexity --quick --algorithms random --horizons 4 --zones 1 --states 4 --eps 1 --certified-eps 3
    --episodes 20 --seeds 2 "${small[@]}")
foray "${experiment[@]}" -o experiment >/dev/null
prepare_lab() { :; }
victim_lab() { foray "${experiment[@]}" -o scene/experiment; }
mend_lab() {
    accept foray "${experiment[@]}" -o scene/experiment
    for file in rows.csv summary.csv episodes.csv findings.txt index.html; do
        same "scene/experiment/$file" "experiment/$file"
    done
}
attack lab

# ---------------------------------------------------------------- single files

foray world export chain -o new-model.json >/dev/null
foray world export riverswim -o old-model.json >/dev/null
prepare_export() { cp old-model.json scene/model.json; }
victim_export() { foray world export chain --force -o scene/model.json; }
mend_export() {
    cmp -s scene/model.json old-model.json || same scene/model.json new-model.json
    accept foray model check scene/model.json
    accept foray world export chain --force -o scene/model.json
    same scene/model.json new-model.json
}
attack export

prepare_report() { cp half-ucrl-rfe.foray scene/run.foray; }
victim_report() { foray report scene/run.foray -o scene/page.html; }
mend_report() {
    read_run scene/run.foray
    accept foray report scene/run.foray --force -o scene/page.html
    checks=$((checks + 1))
    tail -c 20 scene/page.html | grep -q "</html>" || fail "half a page after a kill at $at"
}
attack report

echo "runs $kills kills $kills refused $refused different $different"
finish
