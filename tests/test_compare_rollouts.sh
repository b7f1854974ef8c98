#!/usr/bin/env bash
# test_compare_rollouts.sh FORAY - foray compare in systems: plans measured by rollouts, which are
# those of foray rollout; who won in words; what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

expect 0 'measured by rollouts: mean returns of low over 60 episodes in tank@grid:4x4, since its truth is not known' \
    foray compare tank@grid:4x4 -a ucrl-rfe,random -k 20 --seeds 6 --rollouts 60 -r low -o tank
holds "the same words are in a file" grep -q 'measured by rollouts' tank/summary.txt
holds "who won, seed by seed" grep -qE 'is better than .* in [0-6] of 6 seeds, by' tank/findings.txt
holds "a row for each run" test "$(wc -l <tank/rows.csv)" = 13
foray compare tank@grid:4x4 -a random,ucrl-rfe -k 20 --seeds 2 --rollouts 60 -o again --quiet
holds "all rewards that the system names" test "$(cut -d, -f4 again/rows.csv | sort -u | tr '\n' ' ')" = \
    "below high low reward save "
holds "the same again" test "$(grep '^random-seed2,random,2,low' tank/rows.csv)" = "$(grep '^random-seed2,random,2,low' again/rows.csv)"

# The oracle: a run with the same seed, its plan, and rollouts with the same random numbers.
foray explore tank@grid:4x4 -a ucrl-rfe -k 20 --seed 1 -o one.foray --quiet
foray rollout one.foray -n 60 --seed 1 -r low -r goal:5 --json >one.json
as_rollout() { # AS NAME ROW - the mean of reward number AS of one.json is the return in ROW
    local mean
    mean=$(json "rewards.$1.return.mean" one.json)
    holds "as foray rollout says of $2: $mean, $3" \
        awk -v one="$mean" -v row="$3" 'BEGIN { split(row, cell, ","); exit !((one - cell[6])^2 < 1e-18 * one^2) }'
}
as_rollout 0 low "$(grep '^ucrl-rfe-seed1,ucrl-rfe,1,' tank/rows.csv)"

# Several rewards, each planned for and measured as if it were alone; also all goals.
two=(compare tank@grid:4x4 -a "ucrl-rfe,random" -k 20 --seeds 3 --rollouts 60 -r low -r goal:5)
files=(rows.csv summary.csv summary.txt findings.txt)
expect 0 'mean returns of goal:5' foray "${two[@]}" -o two
holds "a row for each run and reward" test "$(wc -l <two/rows.csv)" = 13
holds "and a verdict for each" test "$(grep -c 'The best mean return of' two/findings.txt)" = 2
as_rollout 0 low "$(grep '^ucrl-rfe-seed1,ucrl-rfe,1,low,' two/rows.csv)"
as_rollout 1 goal:5 "$(grep '^ucrl-rfe-seed1,ucrl-rfe,1,goal:5,' two/rows.csv)"
foray compare tank@grid:2x2 -a random -k 2 --seeds 1 --rollouts 5 -r goals -r low -o goals --quiet
holds "goals are a reward for each cluster" test "$(cut -d, -f4 goals/rows.csv | tr '\n' ' ')" = \
    "reward goal:0 goal:1 goal:2 goal:3 low "

# A folder that continues: what is there is used, what is missing is made; more seeds and algorithms.
find two/cells -name '*.csv' -exec cat {} + | md5sum >before
cp -r two part
rm part/cells/random-seed2.csv part/*.txt.* part/rows.csv 2>/dev/null
expect 0 'measured by rollouts' foray "${two[@]}" -o part
holds "continued to the bytes of one process" same_files two part "${files[@]}"
holds "nothing was made again" cmp before <(find part/cells -name '*.csv' -exec cat {} + | md5sum)
foray compare tank@grid:4x4 -a random -k 20 --seeds 2 --rollouts 60 -r low -r goal:5 -o grown --quiet
expect 0 "" foray "${two[@]}" -o grown
holds "grown to the bytes of one process" same_files two grown "${files[@]}"
expect 2 'started with "rollouts 60", not "rollouts 61"' foray "${two[@]}" --rollouts 61 -o two
expect 2 'started with "reward low", not "reward goal:2"' \
    foray compare tank@grid:4x4 -a random -k 20 --rollouts 60 -r goal:2 -r goal:5 -o two
mkdir other && touch other/thing
expect 2 'not empty and holds no experiment' foray compare tank@grid:4x4 -a random -k 5 -o other

# Shares, in any order, and the bytes that a single process gives.
for order in "2/2 1/2" "3/3 1/3 2/3"; do
    name=of${order##*/}
    for shard in $order; do
        expect 0 "shard ${shard%/*} of ${shard#*/}: all of its [0-9]+ runs" foray "${two[@]}" --shard "$shard" -o "$name"
    done
    holds "shares write no results" test ! -e "$name/rows.csv"
    holds "together they make every run" test "$(find "$name/cells" -name '*.csv' | wc -l)" = 6
    expect 0 "" foray "${two[@]}" -o "$name"
    holds "$order gives the bytes of one process" same_files two "$name" "${files[@]}"
done

# Stopped by a signal, and continued.
foray compare tank@grid:4x4 -a random -k 100000000 --seeds 2 -o stopped >stopped.out 2>&1 &
victim=$!
appears stopped/experiment.txt
kill -TERM $victim
wait $victim
holds "a signal ends it with 130" test $? -eq 130
holds "and it says how to go on" grep -q "after 0 of 2 runs; run the same command again" stopped.out

# A program of which nothing is known, with a reward of the model, and settings of its own.
cp "$source_dir"/examples/outside/{lake,foray_world}.py .
lake=(compare "exec:python3 lake.py" -a "inverse-count,random" -r reach:15 -r goal:5 -k 20 --seeds 1 --rollouts 20)
expect 0 'inverse-count +[0-9.]+ ' foray "${lake[@]}" -o lake
expect 0 "" foray "${lake[@]}" --shard 1/1 -o lake-shares
expect 0 "" foray "${lake[@]}" -o lake-shares
holds "a program's shares give the same bytes" same_files lake lake-shares "${files[@]}"
sed 's/def step(.*/&\n        raise RuntimeError("no more ice")/' lake.py >melted.py
expect 4 'random-seed1: .*no more ice' foray compare "exec:python3 melted.py" -a random -r goal:5 -k 5 -o melted
foray compare tank@grid:4x4 riverswim -a random -k 5 --seeds 1 --rollouts 5 -r goal:0 --json -o both >both.json
holds "both kinds at once" sh -c "grep -q measured_by.*rollouts both.json && grep -q summary both.json"
expect 2 'plan_every' foray compare tank@grid:4x4 -a random:plan_every=-1 -k 5 -o bad
finish
