#!/usr/bin/env bash
# test_nothing_known.sh FORAY - programs about which nothing is known but their sizes: explored,
# resumed, planned for, checked against the truth; learnt from data; and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

cp "$source_dir"/examples/outside/{lake,foray_world}.py .
lake="exec:python3 lake.py"
sizes=unstructured:states=16,actions=4,horizon=30

# ------------------------------------------------------------- from a program to a plan
expect 0 'model=unstructured:states=16,actions=4,horizon=30 for 600 episodes with inverse-count' \
    foray explore "$lake" -k 600 -o lake.foray
expect 0 'algorithm +inverse-count: nothing is known' \
    foray explore "$lake" -k 300 -o parts.foray
holds "and no aggregation error is spoken of" sh -c "! grep -q aggregation '$work/out'"
expect 0 'for 600 episodes' foray explore "$lake" --resume -k 600 -o parts.foray
expect 0 'for 60 episodes' \
    foray explore "$sizes" --in "$lake" -a inverse-count -k 60 -o given.foray
for run in lake parts; do
    foray plan $run.foray -r reach:15 --no-store --json | sed /\"run\"/d >$run.json
done
holds "a resumed run plans the same" cmp lake.json parts.json
expect 0 'vacuous' foray plan given.foray -r reach:15

# The best policy arrives with probability 0.3479; the plan is worth almost as much in truth.
expect 0 'reach:15 .* (certified|vacuous)' foray plan lake.foray -r reach:15 -o policy.json
foray evaluate frozenlake policy.json -r reach:15 --json >worth.json
# shellcheck disable=SC2016
holds "the plan is nearly optimal in truth" \
    awk -v value="$(json evaluations.0.value worth.json)" 'BEGIN { exit !(value > 0.3 && value < 0.348) }'
expect 0 'certified' foray certify lake.foray policy.json -r reach:15
expect 0 '^left$' foray act policy.json <<<0 # actions have the names that the program gave them
expect 0 'return in reality' foray rollout lake.foray --trust -r goal -n 200
expect 0 'vacuous +yes' foray bound lake.foray
expect 0 'verified +yes' foray verify lake.foray
expect 0 '' foray report lake.foray -o lake.html
expect 0 'unknowns +975' foray model check "$sizes"
# Copies of the program play the same episodes, ends included.
for workers in 1 3; do
    foray explore "$lake" --workers $workers -k 100 -o workers$workers.foray >/dev/null
    foray data workers$workers.foray -o workers$workers.csv
done
holds "workers see what one sees" cmp workers1.csv workers3.csv
expect 0 'with random' foray explore "$lake" -a random -k 20 -o random.foray

# The command that explore suggests works.
foray explore "$lake" -k 20 -o hint.foray >hint
expect 0 'return in reality' sh -c "$(sed -n 's/^next  *//p' hint) -n 20"
sed '/rewards = /d' lake.py >plain.py
foray explore "exec:python3 plain.py" -k 20 -o plain.foray >hint
expect 0 'goal:[1-9]' sh -c "$(sed -n 's/^next  *//p' hint)"

# ------------------------------------------------------------------- first states, ends
cat >walk.py <<'P'
from foray_world import World, done, serve, uniform
class Walk(World):
    """From 0 or 1 to 90,000 and back; what lies beyond is never seen."""
    name = "walk"
    states = 100000
    actions = ["on", "off"]
    horizon = 4
    def reset(self, key):
        return int(uniform(key) < 0.5)
    def step(self, key, simulator, action, state):
        if action == 1:
            return done(99999)
        return 90000 + int(state[0]) % 10
serve(Walk())
P
walk="exec:python3 walk.py"
expect 0 'unstructured:states=100000,actions=2,horizon=4 for 1,000 episodes' \
    foray explore "$walk" -k 1000 -o walk.foray
expect 0 'verified +yes' foray verify walk.foray
expect 0 'reach:99999 +1 ' foray plan walk.foray -r reach:99999 --no-store
# Both first states lead there at once, and the end is known: all but a little is certain.
foray plan walk.foray -r goal:99999 --no-store --json >walk.json
# shellcheck disable=SC2016
holds "ends and first states are certified" \
    awk -v gap="$(json plans.0.certificate.gap walk.json)" 'BEGIN { exit !(gap > 0 && gap < 0.9) }'

# ------------------------------------------------------------------------ recorded data
expect 0 '' foray data walk.foray -o walk.csv
holds "the data say what is done" grep -q ',99999,1$' walk.csv
expect 0 '1,000 episodes' foray learn unstructured:states=100000,actions=2,horizon=4 walk.csv -o learnt.foray
foray plan learnt.foray -r goal:99999 --no-store --json >learnt.json
holds "data teach what was explored" test "$(json plans.0.certificate.gap walk.json)" = \
    "$(json plans.0.certificate.gap learnt.json)"
expect 0 'verified +yes' foray verify learnt.foray
printf 'episode,step,state,action,next\n0,0,1,0,2\n0,1,2,0,1\n0,2,1,1,1\n' >long.csv
expect 3 'long.csv:4: step: episode 0 is longer than the horizon of 2' \
    foray learn unstructured:states=3,actions=2,horizon=2 long.csv -o long.foray
expect 0 '2 episodes' foray learn unstructured:states=3,actions=2,horizon=2,initial=1 long.csv -o long.foray
expect 0 'fit' foray learn --check long.foray long.csv
# An end that was left before is none.
printf 'episode,step,state,action,next,done\n0,0,1,0,2,0\n0,1,2,0,1,1\n' >left.csv
expect 4 'state 1 was left' foray learn unstructured:states=3,actions=2,horizon=9 left.csv -o left.foray

# --------------------------------------------------------------------- for verifiers
expect 0 'elsewhere_high and elsewhere_low stand for every state .*ask for one step more' \
    foray model export walk.foray -r reach:99999 -r goal:99999 -o walk.umb
# Ten states in 90000 to 90009 could follow; 0, 1, 90000, 90001 and the end were seen, and three are ours.
holds "what was seen, and elsewhere" grep -qa '"#states":8,"#initial-states":1' walk.umb
holds "a label and a reward" grep -qa '"aps":{' walk.umb
foray model export walk.foray -o seen.csv --quiet
holds "two ways to be elsewhere, as likely as each other" test \
    "$(grep -c elsewhere_high, seen.csv)" = "$(grep -c elsewhere_low, seen.csv)"
holds "ends are known" grep -q '^99999,on,99999,1,1$' seen.csv
expect 0 '' foray learn unstructured:states=100000,actions=2,horizon=4,initial=0:0.5+1:0.5 walk.csv -o told.foray
foray model export told.foray -o told.csv --quiet
holds "without start where the first states are told" bash -c '! grep -q "^start" told.csv'

# ------------------------------------------------------------------------ refusals
expect 2 'did you mean initial=unknown' foray learn unstructured:states=3,actions=2,horizon=2,initial=unkown long.csv -o bad.foray
expect 2 'needs its sizes' foray explore unstructured:states=4 --in "$lake" -k 5 -o bad.foray
expect 2 'ucrl-rfe needs a model of what can follow what' \
    foray explore "$lake" -a ucrl-rfe -k 20 -o other.foray
expect 2 'rf-express needs a model of what can follow what' \
    foray explore "$lake" -a rf-express --pooled on -k 20 -o other.foray
expect 2 'inverse-count is for worlds of which nothing is known' \
    foray explore riverswim -a inverse-count -k 20 -o other.foray
expect 2 'pooled is not a setting of inverse-count' foray explore "$lake" --pooled off -k 20 -o apart.foray
expect 2 'pooled is not a setting of ucrl-rfe' foray explore riverswim --pooled off -k 20 -o none.foray
expect 3 'episodes of 9 steps' \
    foray explore unstructured:states=16,actions=4,horizon=9 --in "$lake" -k 5 -o bad.foray
expect 3 'has no theta' foray explore "$sizes" -k 5 -o bad.foray
expect 4 'begins in state [12], but those of the model begin in state 0' \
    foray explore unstructured:states=100000,actions=2,horizon=4,initial=0 --in "$walk" -k 50 -o bad.foray
holds "what was explored before is kept" test -f bad.foray

# A model that rules out what happens is wrong, and says so: states have no nearest one.
cat >wrong.json <<'J'
{"format":"foray-model","version":1,"name":"wrong","states":3,"actions":1,"horizon":4,"dim":1,
 "norm_bound":1,"initial":[[0,1]],"features":[[0,0,0,[[0,1]]],[1,0,1,[[0,1]]],[2,0,2,[[0,1]]]]}
J
cat >three.py <<'P'
from foray_world import World, serve
class Three(World):
    name = "three"
    states = 3
    actions = ["on"]
    horizon = 4
    def reset(self, key):
        return 0
    def step(self, key, simulator, action, state):
        return min(int(state[0]) + 1, 2)
serve(Three())
P
expect 4 'in state 0 action 0 led to state 1, which the model rules out' \
    foray explore wrong.json --in "exec:python3 three.py" -k 5 -o wrong.foray
expect 0 'explored' foray explore "exec:python3 three.py" -k 5 -o three.foray

finish
