#!/bin/bash
# Targets to stop at: a bound for all rewards, certificates of rewards that are named, 0.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- no target by default; 0 is one, and is not met for all rewards at once
foray explore riverswim -k 50 -o none.foray --json >none.json
holds "no target by default" test "$(json until none.json)" = null
holds "and none is met" test "$(json target_met none.json)" = false
expect 1 "target *0 for all rewards: not met yet" foray explore riverswim -k 50 --until 0 -o zero.foray

# ---- rewards that are named: exploring ends as soon as each is certified
expect 0 "target *0 for 6 rewards: met" foray explore riverswim -k 100000 --until 0 --for goals -o goals.foray
foray info goals.foray --json >info.json
stopped=$(json episodes info.json)
holds "long before the budget" test "$stopped" -lt 5000
for goal in 0 3 5; do
    expect 0 "" foray plan goals.foray -r "goal:$goal" --require 1e-8 --no-store
done
expect 0 "target *0.5 for 2 rewards: met" \
    foray explore chain -k 100000 --until 0.5 --for goal:3 --for goal:7 -o two.foray
expect 0 "" foray plan two.foray -r goal:3 -r goal:7 --require 0.5 --no-store

# ---- interrupted by a smaller budget, it ends where it would have ended
expect 1 "not met yet" foray explore riverswim -k 20 --until 0 --for goals -o again.foray
expect 1 "goal:[0-9]*: certificate" foray explore --resume -k 30 -o again.foray
expect 0 "6 rewards: met" foray explore --resume -k 100000 -o again.foray
foray info again.foray --json >again.json
holds "a resumed run stops in the same episode" test "$(json episodes again.json)" = "$stopped"
expect 0 "^verified *yes" foray verify again.foray

# ---- exact ties are named, since no certificate of theirs becomes 0
foray explore grid:rows=3,cols=3,horizon=6 -k 3000 --until 0 --for goals -o ties.foray >ties.txt
holds "ties end in 1" test $? -eq 1
holds "ties are named" grep -q "where actions tie exactly, a certificate never becomes 0" ties.txt
holds "with the place" \
    grep -q "goal:0: certificate .*, exact tie at step 0 in state 4 .*: action 0 (up) is as good" ties.txt
foray explore riverswim -k 20 --until 0 --for goals -o few.foray >few.txt
holds "riverswim has no ties: data are lacking" grep -q "goal:5: certificate .*, data are lacking" few.txt
holds "and no tie is claimed" test "$(grep -c "exact tie" few.txt)" -eq 0
foray explore grid:rows=3,cols=3,horizon=6 -k 3000 --until 0 --for goal:0 --json -o ties2.foray >ties.json
holds "in JSON" test "$(json missed.0.tie.2 ties.json)" = 0

# A plan that is not the best one yet: the best one has ties, which is where more episodes lead.
foray explore frozenlake -k 300 --until 0 --for goals --json -o lake.foray >lake.json
holds "ties to come are named, too" test "$(json missed.4.tie.1 lake.json)" = 6
holds "of all 16" test "$(json missed.15.tie.1 lake.json)" = 6

# ---- where nothing is known: targets can be met, but not 0
for i in $(seq 0 99); do printf '%d,0,0,%d,1,1\n' "$i" $((i % 2)); done >steps.txt
(echo episode,step,state,action,next,done && cat steps.txt) >steps.csv
expect 0 "learnt" foray learn unstructured:states=3,actions=2,horizon=2 steps.csv -o learnt.foray
expect 0 "where the doubt about goal:0 is" foray plan learnt.foray -r goal:0
holds "laws by their pairs" sh -c "foray plan learnt.foray -r goal:2 --json --doubt 9 | grep -q '\"name\": \"(s=0, a=0)\"'"
holds "and where episodes begin" sh -c "foray plan learnt.foray -r goal:2 --doubt 9 | grep -q 'where an episode begins'"

# ---- another target for a run that exists, and what is refused
expect 0 "0.3 for 1 reward: met" foray explore --resume -k 200000 --until 0.3 --for goal:5 -o none.foray
holds "with the algorithm it had" test "$(foray info none.foray --json | "$json_check" settings.algorithm)" = '"ucrl-rfe"'

# ---- what exploring is for decides where it goes: by default, and as soon as it is named
steered=$(foray explore rooms --until 0.03 --for goal:0 -k 50000 --json -o steered.foray | "$json_check" episodes)
unsteered=$(foray explore rooms -a ucrl-rfe --until 0.03 --for goal:0 -k 50000 --json -o unsteered.foray |
    "$json_check" episodes)
holds "a near goal takes a fraction of the episodes" test $((3 * steered)) -lt "$unsteered"
holds "by scout" test "$(foray info steered.foray --json | "$json_check" settings.algorithm)" = '"scout"'
# Stopped and continued, with other targets and other certificates of them.
expect 1 "not met yet" foray explore rooms --until 0.03 --for goal:0 -k 70 -o parts.foray
expect 0 "explored rooms for $steered episodes with scout" foray explore --resume -k 50000 -o parts.foray
expect 0 "2 rewards: met" foray explore --resume --until 1.5 --for goal:0 --for goal:46 -k 50001 -o parts.foray
expect 0 "1 reward: met" foray explore --resume --until 0.02 --for goal:0 -o parts.foray
expect 0 "^verified *yes" foray verify parts.foray
expect 2 "until, the certificate that must be reached" foray explore riverswim -k 50 --for goal:1 -o refused.foray
expect 3 "goal:99" foray explore riverswim -k 50 --until 1 --for goal:99 -o refused2.foray

# ---- only a proof meets a target: numbers of other kinds reach it, and nothing is proved
expect 1 "target *5 for all rewards: reached, but nothing is proved" \
    foray explore riverswim --radius-scale 0.1 -k 2000 --until 5 -o scaled.foray
foray info scaled.foray --json >scaled.json
holds "it stops there all the same" test "$(json episodes scaled.json)" -lt 500
expect 1 "goal:5: certificate .* \(heuristic\)" foray explore riverswim --radius-scale 0.1 \
    -k 200 --until 20 --for goal:5 -o scaled2.foray
foray explore --resume -o scaled2.foray --json >scaled2.json
holds "reached" test "$(json target_reached scaled2.json)" = true
holds "not met" test "$(json target_met scaled2.json)" = false
holds "for this reason" test "$(json missed.0.status scaled2.json)" = '"heuristic"'
expect 1 "target *100 for all rewards: reached, but nothing is proved" \
    foray explore pendulum --clusters grid:5x5 -a random -k 250 --until 100 -o seen.foray
expect 1 "goal:9: certificate .* \(estimate\)" foray explore pendulum --clusters grid:5x5 -k 20 \
    --until 0 --for goal:9 -o seen2.foray
holds "of estimates no reason is given" sh -c "! grep -q 'theta\|tie\|lack' '$work/out'"
# What the data refute never reaches a target, however low the number is.
foray explore pendulum --clusters grid:5x5 -a random -k 300 -o refuted.foray >/dev/null
expect 1 "target *100 for all rewards: not met yet" foray explore --resume --until 100 -k 310 -o refuted.foray
expect 0 "refuted" foray bound refuted.foray
holds "it went on to its budget" grep -q "for 310 episodes" <(foray explore --resume -o refuted.foray)

# ---- which plan a bound is about
foray bound goals.foray --json >bound.json
holds "the bound is about the plug-in plan" test "$(json plan bound.json)" = '"plugin"'
holds "that of the exploration about the optimistic one" test "$(json exploration.plan bound.json)" = '"optimistic"'
holds "by its own radius" test "$(json exploration.radius bound.json)" = '"sharp"'

# ---- a target can be dropped again, by a word; -1 may be a slip
foray explore riverswim -k 20 --until 0 --quiet -o dropped.foray
holds "0 is a target" test "$(foray info dropped.foray --json | "$json_check" settings.until)" = 0
expect 0 "explored riverswim for 30 episodes" foray explore --resume -k 30 --until none -o dropped.foray
holds "none is none" test "$(foray info dropped.foray --json | "$json_check" settings.until)" = -1
finish
