#!/bin/bash
# The command: usage errors, exit codes, JSON, signals, and what it never overwrites.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- usage errors name the cause and where to read on
usage() {
    local pattern=$1
    shift
    expect 2 "$pattern" "$@"
    holds "a hint from: $*" grep -q "^try 'foray.* --help'" "$work/err"
    holds "nothing on standard output from: $*" test ! -s "$work/out"
}
expect 2 "^most used:" foray
holds "and that is the help" cmp "$work/out" <(foray --help)
usage "unknown command 'explor'; did you mean 'explore'" foray explor chain
usage "unknown command 'zzz'" foray zzz
usage "foray world: no subcommand given" foray world
usage "try 'foray lab --help'" foray lab zzz
usage "unknown option --versio; did you mean --version" foray --versio
holds "'help lab' is 'lab --help'" cmp <(foray help lab) <(foray lab --help)
usage "--clusters is for systems, and chain is not one" foray explore chain --clusters grid:3x3 -o run.foray
expect 3 "did you mean chain\?" foray explore chian -o run.foray
expect 3 "a directory, not a model or a world" sh -c 'mkdir d; foray explore d -o run.foray; code=$?; rmdir d; exit $code'
usage "did you mean 'world export'" foray world exprot chain
usage "foray explore: unknown option --episods; did you mean --episodes" foray explore chain --episods 5
usage "unknown option -z" foray explore chain -z
usage "unknown option --flag" foray plan run.foray --flag=3
usage "--episodes needs a value" foray explore chain -o run.foray -k
usage "--output: its value is empty" foray explore chain -o ''
usage "--output: its value is empty" foray world export chain --output=
usage "an argument is empty" foray model check ''
usage "--json takes no value" foray explore chain --json=yes
usage "missing operand: RUN" foray plan
usage "unexpected argument: b" foray verify a b
usage "-o is required" foray explore chain
usage "no world to explore is given" foray explore -o run.foray
usage "cannot be combined" foray explore chain -o run.foray --resume --force
usage "-o is required" foray world export chain
usage "neither in .json nor in .compact" foray world export chain -o chain.txt
usage "must be one of json" foray world export chain -o chain.json --to xml
usage "must be one of optimistic" foray plan run.foray -m best
usage "threads" foray explore chain -o run.foray --threads 0
usage "threads" foray explore chain -o run.foray --threads 2x
for value in 0 1 -0.1 nan inf 2 "" abc 0.1x; do
    usage "delta" foray explore chain -o run.foray --delta "$value"
done
for value in 0 -5 abc 1e999 99999999999999999999999 ""; do
    usage "episodes" foray explore chain -o run.foray -k "$value"
done
for value in 0x1p3 " 8" "8 " 8,0 1_ 0; do
    usage "threads=.*must be an integer from 1 to 1024" foray explore chain -o run.foray --threads "$value"
    usage "confidence=.*must be a number from 0.01 to" foray rollout run.foray --confidence "$value"
done
usage "radius" foray explore chain -o run.foray --radius round
for value in -1 -0.5 -1e-300 nan inf 1e999 0x 1e301x; do
    usage "until=.*must be a number of at least 0" foray explore chain -o run.foray --until "$value"
done
usage "algorithm|nonsense" foray explore chain -o run.foray -a nonsense
usage "seed" foray explore chain -o run.foray --seed=-1
holds "no usage error leaves a file" test -z "$(ls)"

# ---- ways to write the same
expect 0 "foray [0-9]" foray --version
holds "-V is --version" cmp <(foray -V) <(foray --version)
expect 0 "explored chain for 300 episodes" foray explore chain -k 300 -o a.foray
expect 0 . foray explore chain --episodes=300 --output=b.foray --threads 1
expect 0 . foray explore -k300 -ob.foray --force -- chain
foray info a.foray --theta --json >a.json
foray info b.foray --theta --json >b.json
holds "the same run, however it is written and whatever the threads" \
    test "$(json theta a.json)" = "$(json theta b.json)"

# ---- runs are never overwritten unless asked to
cp a.foray before.foray
usage "already exists" foray explore riverswim -o a.foray
holds "a refused run is left alone" cmp a.foray before.foray
expect 0 "riverswim" foray explore riverswim -k 100 -o a.foray --force
expect 3 "a.foray: this is a run, but a model is expected" foray explore a.foray -o twice.foray
expect 3 "nowhere" foray explore --resume -o nowhere.foray
holds "--resume makes no file" test ! -e nowhere.foray
expect 3 "no/run.foray: its directory does not exist" foray explore chain -o no/run.foray

# ---- resuming: settings stay, episodes and target may change
usage "started with seed 1, not 2" foray explore --resume --seed 2 -o b.foray
usage "only --episodes, --until and --for" foray explore --resume --literal -o b.foray
usage "only be raised" foray explore --resume -k 200 -o b.foray
expect 0 "for 300 episodes" foray explore chain --resume --seed 1 -k 300 -o b.foray
expect 0 "for 500 episodes" foray explore --resume -k 500 -o b.foray
foray explore chain -k 500 -o c.foray >/dev/null
foray info b.foray --theta --json >b.json
foray info c.foray --theta --json >c.json
holds "300 and 200 more are the same as 500" test "$(json theta b.json)" = "$(json theta c.json)"
expect 1 "not met" foray explore --resume --until 0.0001 -k 600 -o b.foray
expect 0 "met" foray explore --resume --until 1000 -o b.foray
expect 0 . foray explore riverswim --radius theorem -k 50 -o fixed.foray
usage "episodes|budget" foray explore --resume -k 100 -o fixed.foray

# ---- algorithms that see the reward need one, others take none
usage "explores for one reward: -r is required" foray explore trapdoor -a ucrl-vtr -o seen.foray
usage "explores without a reward" foray explore trapdoor -r goal:treasure -o seen.foray
usage "not 2" foray explore trapdoor -a ucrl-vtr -r goal:0 -r goal:1 -o seen.foray
expect 3 "no such state" foray explore trapdoor -a ucrl-vtr -r goal:gold -o seen.foray
holds "no run without its reward" test ! -e seen.foray
expect 0 "ucrl-vtr" foray explore trapdoor -a ucrl-vtr -r goal:treasure -k 100 -o seen.foray
usage "already has its reward" foray explore --resume -r goal:0 -o seen.foray
expect 0 "200 episodes" foray explore --resume -k 200 -o seen.foray
foray explore trapdoor -a ucrl-vtr -r goal:treasure -k 200 -o whole.foray >/dev/null
foray info seen.foray --theta --json >a.json
foray info whole.foray --theta --json >b.json
holds "a resumed run has its reward still" test "$(json theta a.json)" = "$(json theta b.json)"
expect 0 . foray verify seen.foray
expect 0 "goal:treasure" foray info seen.foray

# ---- every --json is one object
foray plan c.foray -r goal:1 -o policy.json >/dev/null
while read -ra words; do
    expect 0 . foray "${words[@]}" --json
    holds "one JSON object from: foray ${words[*]} --json" "$json_check" <"$work/out"
done <<'END'
world list
model check chain
explore chain -k 100 -o json.foray
plan c.foray -r goal:1 -r goal:0 --truth --map
bound c.foray
evaluate chain policy.json -r goal:1
info c.foray
info c.foray --theta --trace
verify c.foray
END
usage "from 0 to 1" foray evaluate chain policy.json -r goal:1 --discount 1.5
usage "from 0 to 1" foray evaluate chain policy.json -r goal:1 --discount half
foray evaluate chain policy.json -r goal:1 --discount 0 --json >evaluation.json
holds "only the first step counts undiscounted" grep -q '"optimal": *0[.,}]' evaluation.json
foray evaluate chain policy.json -r goal:1 --json >evaluation.json
foray plan c.foray -r goal:1 --truth --json >plan.json
holds "plan --truth and evaluate agree" \
    test "$(json evaluations.0.value evaluation.json)" = "$(json plans.0.truth.value plan.json)"
holds "a certificate names its status" test "$(json plans.0.certificate.status plan.json)" = '"certified"'
foray explore chain -k 100 --radius-scale 0.5 -o half.foray --json >half.json
holds "a scaled radius is heuristic" test "$(json bound.status half.json)" = '"heuristic"'
expect 0 "no guarantee" foray plan half.foray -r goal:1

# ---- algorithms without an estimate of theta, and without a bound
for algorithm in rf-ucrl wang francis; do
    foray explore riverswim:states=4,horizon=5 -a "$algorithm" -k 50 -o "$algorithm.foray" >/dev/null
    expect 0 "$algorithm" foray info "$algorithm.foray"
    usage "no estimate of theta" foray info "$algorithm.foray" --theta
    expect 0 "^verified *yes" foray verify "$algorithm.foray"
done
expect 0 "no guarantee: the algorithm has no bound" foray plan wang.foray -r goal:1 --radius run
expect 0 "radius likelihood" foray plan wang.foray -r goal:1
expect 0 "^radius *likelihood" foray bound francis.foray
foray explore hard:dim=5,actions=4,horizon=4 -a francis --pair-features onehot -k 20 -o given.foray >/dev/null
usage "no bound for all rewards" foray bound given.foray
rm given.foray
usage "gives no features" foray explore riverswim -a wang --pair-features given -k 5 -o given.foray

# ---- several rewards, directories, maps
usage "need a directory" foray plan c.foray -r goal:1 -r goal:0 -o one.json
usage "both be written" foray plan c.foray -r goal:1 -r goal:1 -o many/
expect 0 "written: many/goal-0.json" foray plan c.foray -r goal:1 -r goal:0 -o many/
holds "the two files are there" test -s many/goal-0.json -a -s many/goal-1.json
foray explore grid -k 200 -o grid.foray >/dev/null
expect 0 "^  [<>^v]( [<>^v])+$" env LC_ALL=C foray plan grid.foray -r goal:1 --map
expect 0 "^  (←|→|↑|↓)" env LC_ALL=C.UTF-8 foray plan grid.foray -r goal:1 --map
stored=$(foray info c.foray --json | "$json_check" plans_stored)
expect 0 . foray plan c.foray -r goal:2 --no-store
holds "--no-store keeps nothing" \
    test "$(foray info c.foray --json | "$json_check" plans_stored)" = "$stored"

# ---- results that cannot be written are an error
quiet_pipe() { # closed at once, by who reads it
    { "$@"; echo $? >code; } 2>err | true
    [ "$(cat code)" = 141 ] && [ ! -s err ]
}
sleep_first() { sleep 0.3 && foray "$@"; }
holds "a pipe that nobody reads ends data in silence" quiet_pipe sleep_first data c.foray
holds "and what is printed at the end" quiet_pipe sleep_first info c.foray --json
holds "and act" quiet_pipe sh -c 'sleep 0.3; echo 0 | foray act many/goal-0.json'
expect 3 "standard output: No space" sh -c 'foray world list >/dev/full'
expect 3 "standard output: No space" sh -c 'foray info c.foray --json >/dev/full'
expect 3 "standard output" sh -c 'foray bound c.foray >&-'
expect 3 "big.json.*File too large" \
    bash -c 'ulimit -f 8; foray world export rooms:rows=8,cols=8 -o big.json'
# (why, SQLite knows only as long as nothing else has gone wrong)
expect 3 "big.foray.*writing failed" bash -c 'ulimit -f 400; foray explore chain -k 200000 -o big.foray'
expect 0 "200,000 episodes" foray explore --resume -o big.foray
expect 3 "no-such-directory" foray world export chain -o no-such-directory/m.json
expect 3 "no-such-directory" foray explore chain -k 10 -o no-such-directory/r.foray
expect 3 "no-such-directory" foray plan c.foray -r goal:0 -o no-such-directory/p.json

# ---- progress only on a terminal (which some containers cannot give)
foray explore chain -k 2000 -o quiet.foray >/dev/null 2>quiet.err
holds "nothing on standard error without a terminal" test ! -s quiet.err
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "foray explore chain -k 20000 -o shown.foray" /dev/null >shown.txt
    holds "progress on a terminal" grep -q "saved" shown.txt
fi

# ---- signals: stopped at any moment, continued to the same episodes
episodes_of() {
    foray info "$1" --json 2>/dev/null | "$json_check" episodes 2>/dev/null || echo 0
}
# start RUN ARGUMENTS...: explores in the background; goes on once the run has grown.
start() {
    local run=$1 before
    shift
    before=$(episodes_of "$run")
    foray explore "$@" -o "$run" --json >stop.json 2>stop.err &
    explorer=$!
    for _ in $(seq 400); do
        [ "$(episodes_of "$run")" -gt "$before" ] && break
        sleep 0.05
    done
    holds "$run grows" test "$(episodes_of "$run")" -gt "$before"
}
# stop SIGNAL: ends what was started; its exit code is left in $code.
stop() {
    kill "-$1" "$explorer"
    wait "$explorer" 2>/dev/null
    code=$?
}
for signal in INT TERM HUP; do
    start $signal.foray chain -k 1000000000
    stop $signal
    holds "SIG$signal ends in 130, not $code" test $code -eq 130
    holds "SIG$signal says how to go on" grep -q "explore --resume -o $signal.foray" stop.err
    holds "SIG$signal reports what was saved" test "$(json interrupted stop.json)" = true
    holds "SIG$signal loses nothing" test "$(json saved stop.json)" = "$(json episodes stop.json)"
done

# A run that loses its file notices, and does not claim to have saved anything.
start gone.foray chain -k 1000000000
rm gone.foray
wait "$explorer" 2>/dev/null
holds "a run deleted while exploring ends in 3" test $? -eq 3
holds "and says so" grep -q "gone.foray: deleted or replaced" stop.err
holds "and claims nothing" test ! -s stop.json
rm -f gone.foray-*

# A run that is being written can be read, and planned with, but not written.
start INT.foray --resume
expect 3 "in use" foray plan INT.foray -r goal:0
expect 0 "with probability at least 0.9" foray plan INT.foray -r goal:0 --no-store
expect 3 "in use" foray explore --resume -o INT.foray
stop INT
holds "SIGINT after --resume ends in 130, not $code" test $code -eq 130
start KILL.foray chain -k 1000000000
stop KILL
holds "SIGKILL kills" test $code -eq 137
start KILL.foray --resume
stop TERM
holds "a killed run goes on" test $code -eq 130
for run in INT KILL; do
    foray explore chain -k "$(episodes_of $run.foray)" -o $run.whole.foray >/dev/null
    for part in $run $run.whole; do
        foray plan "$part.foray" -r goal:1 -r goal:0 --json --no-store | grep -v '"run"' >"$part.plan"
        foray info "$part.foray" --theta --json | "$json_check" theta >"$part.theta"
    done
    holds "$run: plans as after an uninterrupted run" cmp $run.plan $run.whole.plan
    holds "$run: has learnt what an uninterrupted run has" cmp $run.theta $run.whole.theta
done
finish
