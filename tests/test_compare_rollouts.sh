#!/usr/bin/env bash
# test_compare_rollouts.sh FORAY - foray compare in systems: plans measured by rollouts, which are
# those of foray rollout; who won in words; what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

expect 0 'measured by rollouts: mean returns of low over 60 episodes in tank@grid:4x4, since its truth is not known' \
    foray compare tank@grid:4x4 -a ucrl-rfe,random -k 20 --seeds 6 --rollouts 60 -o tank
holds "the same words are in a file" grep -q 'measured by rollouts' tank/summary.txt
holds "who won, seed by seed" grep -qE 'is better than .* in [0-6] of 6 seeds, by' tank/verdict.txt
holds "a row for each run" test "$(wc -l <tank/rollouts.csv)" = 13
expect 2 'holds a comparison already' foray compare tank@grid:4x4 -a random -k 20 -o tank
foray compare tank@grid:4x4 -a random,ucrl-rfe -k 20 --seeds 2 --rollouts 60 -o again --quiet
holds "the same again" test "$(grep '"random",2,' tank/rollouts.csv)" = "$(grep '"random",2,' again/rollouts.csv)"

# The oracle: a run with the same seed, its plan, and rollouts with the same random numbers.
foray explore tank@grid:4x4 -a ucrl-rfe -k 20 --seed 1 -o one.foray --quiet
foray rollout one.foray -n 60 --seed 1 -r low --json >one.json
mean=$(json rewards.0.return.mean one.json)
row=$(grep '"ucrl-rfe",1,' tank/rollouts.csv)
holds "as foray rollout says: $mean, $row" \
    awk -v one="$mean" -v row="$row" 'BEGIN { split(row, cell, ","); exit !((one - cell[5])^2 < 1e-18 * one^2) }'

# A program of which nothing is known, with a reward of the model, and settings of its own.
cp "$source_dir"/examples/outside/{lake,foray_world}.py .
expect 0 'rf-express:pooled=on +[0-9.]+ ' foray compare "exec:python3 lake.py" \
    -a rf-express:pooled=on,random -r reach:15 -k 20 --seeds 1 --rollouts 20 -o lake
foray compare tank@grid:4x4 riverswim -a random -k 5 --seeds 1 --rollouts 5 -r goal:0 --json -o both >both.json
holds "both kinds at once" sh -c "grep -q measured_by.*rollouts both.json && grep -q summary both.json"
expect 2 'not compared in shares' foray compare tank@grid:4x4 -a random -k 5 --shard 1/2 -o shares
expect 2 'plan_every' foray compare tank@grid:4x4 -a random:plan_every=0 -k 5 -o bad
finish
