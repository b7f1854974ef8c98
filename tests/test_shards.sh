#!/bin/bash
# --shard I/N of foray compare and foray lab: processes that share one directory, in any order,
# killed, with other divisions, and the bytes that a single process gives.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

small=(compare riverswim:states=4 -k 40 --rewards 3 --rounds 2 -a "ucrl-rfe,random" --seeds 3)
compared=(rows.csv summary.csv learning.csv experiment.txt worst.svg mean.svg certificate.svg covered.svg memory.svg)
expect 0 "" foray "${small[@]}" -o one

# Any number of shards, in any order, one after the other.
for order in "1/1" "2/2 1/2" "1/3 3/3 2/3" "5/7 1/7 7/7 2/7 6/7 3/7 4/7"; do
    name=of${order##*/}
    for shard in $order; do
        expect 0 "shard ${shard%/*} of ${shard#*/}: all of its [0-9]+ runs" foray "${small[@]}" --shard "$shard" -o "$name"
    done
    holds "shards write no results" test ! -e "$name/rows.csv"
    holds "together they make every run" test "$(find "$name/cells" -name '*.csv' | wc -l)" -eq 6
    find "$name/cells" -name '*.csv' -exec cat {} + | md5sum >before
    expect 0 "^ucrl-rfe +40" foray "${small[@]}" -o "$name"
    holds "$order gives the bytes of one process" same_files one "$name" "${compared[@]}"
    holds "and nothing was made again" cmp before <(find "$name/cells" -name '*.csv' -exec cat {} + | md5sum)
done

# Shares are disjoint and about equal, and no share has one algorithm alone.
for i in 1 2; do
    expect 0 '"runs": 3' foray "${small[@]}" --shard $i/2 -o "share$i" --json
    holds "a share of both algorithms" test "$(find "share$i/cells" -name 'random*' | wc -l)" -ge 1 -a \
        "$(find "share$i/cells" -name 'ucrl*' | wc -l)" -ge 1
done
holds "no run is in both" test -z "$(comm -12 <(ls share1/cells) <(ls share2/cells))"

# More shards than runs: some have nothing to do.
for i in 6 7 8; do
    expect 0 "" foray "${small[@]}" --shard $i/8 -o many
done
holds "shards without work end at once" test "$(find many/cells -name '*.csv' | wc -l)" -le 1

# Another division in a second call, and nothing from some: the rest is made by the last call.
expect 0 "" foray "${small[@]}" --shard 1/2 -o mixed
expect 0 "" foray "${small[@]}" --shard 2/3 -o mixed
expect 0 "" foray "${small[@]}" --shard 2/3 -o mixed
expect 0 "" foray "${small[@]}" -o mixed
holds "other divisions do not matter" same_files one mixed "${compared[@]}"

# All at the same moment, in a directory that is not there yet; also twice the same share, two
# divisions, and somebody who does everything.
for round in 1 2 3 4 5; do
    for shard in 1/4 2/4 3/4 4/4 2/4 1/3 2/3 3/3; do
        foray "${small[@]}" --shard $shard -o "at-once$round" >"log-${shard/\//-}" 2>&1 &
    done
    foray "${small[@]}" -o "at-once$round" >log 2>&1 &
    wait
    holds "nobody was refused" bash -c '! grep -h foray log log-*-*'
    holds "everybody at once" same_files one "at-once$round" "${compared[@]}"
done

# Killed shards continue.
long=(compare riverswim:states=6 -k 20000 --rewards 8 -a "ucrl-rfe,random" --seeds 4 --threads 1)
expect 0 "" foray "${long[@]}" -o whole
for delay in 0.02 0.1 0.2 0.3; do
    victims=()
    for i in 1 2 3; do
        foray "${long[@]}" --shard $i/3 -o "killed$delay" >/dev/null 2>&1 &
        victims+=($!)
    done
    sleep "$delay"
    kill -KILL "${victims[@]}" 2>/dev/null
    wait "${victims[@]}" 2>/dev/null
    expect 0 "" foray "${long[@]}" --shard 2/3 -o "killed$delay"
    expect 0 "" foray "${long[@]}" -o "killed$delay"
    holds "killed after $delay s" same_files whole "killed$delay" "${compared[@]}"
done
foray compare chain -k 100000000 -a random --seeds 4 --shard 1/2 -o stopped >stopped.out 2>&1 &
victim=$!
appears stopped/experiment.txt
kill -TERM $victim
wait $victim
holds "a signal ends a shard with 130" test $? -eq 130
holds "and it says how far its share is" grep -q "after 0 of 2 runs; run the same command again" stopped.out

# The lab.
lab=(lab complexity --quick --algorithms "ucrl-rfe,random" --horizons "4,6" --zones "1,2" --states 5 --eps "1,0.3"
    --certified-eps 3 --episodes 200 --seeds 2 --rewards 2 --rounds 1)
measured=(rows.csv summary.csv episodes.csv findings.txt experiment.txt index.html)
expect 0 "" foray "${lab[@]}" -o lab1
for n in 2 3; do
    for i in $(seq $n -1 1); do
        foray "${lab[@]}" --shard "$i/$n" -o "lab-of$n" >/dev/null 2>&1 &
    done
    wait
    holds "cells of $n shards" test "$(find "lab-of$n/cells" -name '*.csv' | wc -l)" -eq 16
    expect 0 "" foray "${lab[@]}" -o "lab-of$n"
    holds "$n shards give the bytes of one process" same_files lab1 "lab-of$n" "${measured[@]}"
done
expect 0 '"cells": 8' foray "${lab[@]}" --shard 1/2 -o lab-of2 --json

# GNU parallel, as docs/many-machines.md has it.
if command -v parallel >/dev/null; then
    expect 0 "shard 4 of 4" parallel --will-cite foray "${small[@]@Q}" -o parallel --threads 1 --shard {}/4 ::: 1 2 3 4
    expect 0 "" foray "${small[@]}" -o parallel
    holds "GNU parallel" same_files one parallel "${compared[@]}"
fi

# Refusals.
for bad in 0/3 4/3 1/0 -1/3 1 1/ /3 a/b 1/2/3 1.5/2; do
    expect 2 "shard=.*, but it must be I/N" foray "${small[@]}" --shard="$bad" -o new
done
expect 2 "but it must be I/N" foray "${lab[@]}" --shard 3/2 -o new
expect 2 "at most 1000000" foray "${small[@]}" --shard 1/1000000000 -o new
expect 2 'started with "delta 0.1.*", not "delta 0.2' foray "${small[@]}" --delta 0.2 --shard 1/2 -o one
mkdir other && touch other/thing
expect 2 "not empty and holds no experiment" foray "${small[@]}" --shard 1/2 -o other
holds "nothing was made in vain" test ! -e new
finish
