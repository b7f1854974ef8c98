#!/usr/bin/env bash
# What the command computes does not depend on the instructions that it uses: what explorers of
# all algorithms know, their plans and their bounds are the same bytes at every level of the
# processor that this machine has.
set -euo pipefail

foray=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# at LEVEL COMMAND...: the command, or the code that it ended with.
at() {
    "$foray" --cpu "$@" 2>&1 || echo "exit code $?"
}

# Everything about one algorithm on one world.
results() {
    local level=$1 algorithm=$2 world=$3 see=()
    case $algorithm in ucrl-vtr* | euler) see=(-r goal:2) ;; esac
    at "$level" explore "$world" -a "$algorithm" -k 150 --seed 7 --radius-scale 0.05 "${see[@]}" \
        -o run.foray --json | grep -v '"seconds"\|per_second'
    at "$level" bound run.foray --json
    at "$level" info run.foray --theta --json | sed -n '/"explorer": {/,$p'
    at "$level" plan run.foray -r goal:0 -r goal:1 -r goal:2 --no-store --json -o policies/
    cat policies/*
    rm -r run.foray policies
}

# There is a baseline everywhere, and a level that does not exist is refused by name.
levels=()
for level in avx2 avx512; do
    "$foray" --cpu "$level" world list >/dev/null 2>&1 && levels+=("$level")
done
"$foray" --cpu baseline world list >/dev/null || fail "there is no baseline"
"$foray" --cpu sse9 world list 2>message && fail "a level that does not exist is accepted"
grep -q "sse9" message || fail "the message does not name the level: $(<message)"

for algorithm in ucrl-rfe ucrl-rfe+ rf-ucrl rf-express wang francis ucrl-vtr ucrl-vtr+ euler \
    rf-rl-explore sstp random generative; do
    results baseline "$algorithm" rooms:rows=2,cols=2 >baseline
    grep -q '"gap"' baseline || fail "$algorithm: no plans: $(head -c 400 baseline)"
    for level in "${levels[@]}"; do
        results "$level" "$algorithm" rooms:rows=2,cols=2 >"$level"
        cmp -s baseline "$level" || fail "$algorithm: $level differs: $(diff baseline "$level" | head)"
    done
done
echo "the same at baseline ${levels[*]}"
