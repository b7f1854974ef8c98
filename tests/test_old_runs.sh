#!/usr/bin/env bash
# Runs of format 1, made before parameters belonged to algorithms and before the arithmetic was
# the same on every machine (tests/data, 40 episodes each): their settings are recognised, their
# episodes replayed as recorded, and they can be continued.
# shellcheck source=tests/shell.sh
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"

for algorithm in ucrl-rfe rf-ucrl sstp generative; do
    gunzip -c "$source_dir/tests/data/format1-$algorithm.foray.gz" >"$algorithm.foray"
    expect 0 "replayed, not compared" foray verify "$algorithm.foray"
    expect 0 . foray verify "$algorithm.foray" --json
    cp "$work/out" verify.json
    holds "$algorithm is not called verified" test "$(json verified verify.json)" = false
    expect 0 . foray info "$algorithm.foray" --json
    cp "$work/out" "$algorithm.json"
    holds "$algorithm has its settings" test "$(json settings.algorithm "$algorithm.json")" = "\"$algorithm\""
    holds "$algorithm has its episodes" test "$(json episodes "$algorithm.json")" = 40
    holds "$algorithm has its seed" test "$(json settings.seed "$algorithm.json")" = 3
    expect 0 . foray plan "$algorithm.foray" -r goal:4 --no-store
done
holds "parameters that were set" test "$(json settings.sstp_levels sstp.json)" = 4
holds "parameters that were set" test "$(json settings.sstp_range sstp.json)" = 3
holds "parameters of the family" test "$(json settings.pooled rf-ucrl.json)" = "\"off\""
holds "no parameters of others" test "$(json settings.sstp_levels ucrl-rfe.json)" = none

# What a fresh run learns from the same seed is what the old one is replayed to: so small a world
# has no ties that rounding would break.
expect 0 . foray explore chain:states=5,zones=2,horizon=4 -a ucrl-rfe -k 40 --seed 3 -o new.foray
foray info new.foray --theta --json >new.json
foray info ucrl-rfe.foray --theta --json >old.json
holds "the estimate is that of today" test "$(json theta new.json)" = "$(json theta old.json)"
expect 0 "verified +yes" foray verify new.foray

# Continued, it stays a run that is not compared, with checkpoints that are used again.
expect 0 "for 80 episodes" foray explore --resume -k 80 -o ucrl-rfe.foray
expect 0 "replayed, not compared" foray verify ucrl-rfe.foray
expect 0 "for 120 episodes" foray explore --resume -k 120 -o ucrl-rfe.foray
expect 0 "replayed, not compared" foray verify ucrl-rfe.foray
expect 0 . foray info ucrl-rfe.foray --json
cp "$work/out" more.json
holds "the settings are written anew" test "$(json settings.sstp_levels more.json)" = none
finish
