#!/usr/bin/env bash
# test_nothing_known.sh FORAY - programs about which nothing is known but their sizes: explored,
# resumed, planned for, checked against the truth; and what is refused.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

cp "$source_dir"/examples/outside/{lake,foray_world}.py .
lake="exec:python3 lake.py"
sizes=open:states=16,actions=4,horizon=30

# ------------------------------------------------------------- from a program to a plan
expect 0 'model=open:states=16,actions=4,horizon=30,initial=0 for 2,000 episodes with rf-express' \
    foray explore "$lake" -k 2000 -o lake.foray
expect 0 'algorithm +rf-express --pooled on: nothing is known' \
    foray explore "$lake" -k 1000 -o parts.foray
# The settings of the algorithm chosen can be given without naming it; elsewhere they are refused.
expect 0 'algorithm +rf-express: nothing is known' foray explore "$lake" --pooled off -k 20 -o apart.foray
holds "and no aggregation error is spoken of" sh -c "! grep -q aggregation '$work/out'"
expect 2 'pooled is not a setting of ucrl-rfe' foray explore riverswim --pooled off -k 20 -o none.foray
expect 0 'for 2,000 episodes' foray explore "$lake" --resume -k 2000 -o parts.foray
expect 0 'for 2,000 episodes' \
    foray explore "$sizes" --in "$lake" -a rf-express --pooled on -k 2000 -o given.foray
for run in lake parts given; do
    foray plan $run.foray -r reach:15 --no-store --json | sed /\"run\"/d >$run.json
done
holds "a resumed run plans the same" cmp lake.json parts.json
holds "so does one whose model was spelt out" cmp lake.json given.json

# The best policy arrives with probability 0.3479; the plan is worth almost as much in truth.
expect 0 'reach:15' foray plan lake.foray -r reach:15 -o policy.json
foray evaluate frozenlake policy.json -r reach:15 --json >worth.json
# shellcheck disable=SC2016
holds "the plan is nearly optimal in truth" \
    awk -v value="$(json evaluations.0.value worth.json)" 'BEGIN { exit !(value > 0.3 && value < 0.348) }'
expect 0 'vacuous|certified' foray certify lake.foray policy.json -r reach:15
expect 0 'return in reality' foray rollout lake.foray --trust -r goal -n 200
expect 0 '^0,0,0,' foray data lake.foray
expect 0 'vacuous +yes' foray bound lake.foray
expect 0 'verified +yes' foray verify lake.foray
expect 0 '' foray report lake.foray -o lake.html
expect 0 'ucrl-rfe' foray explore "$lake" -a ucrl-rfe -k 20 -o other.foray
expect 0 'unknowns +960' foray model check "$sizes"

# ------------------------------------------------------------------------ refusals
expect 2 'needs its sizes' foray explore open:states=4 --in "$lake" -k 5 -o bad.foray
expect 2 'transitions, but where nothing is known there may be at most 100000:' \
    foray explore open:states=300,actions=4,horizon=5 --in "$lake" -k 5 -o bad.foray
expect 3 'episodes of 9 steps' \
    foray explore open:states=16,actions=4,horizon=9 --in "$lake" -k 5 -o bad.foray
expect 3 'has no theta' foray explore "$sizes" -k 5 -o bad.foray
sed 's/return 0$/return int(3 * uniform(key, 0))/' lake.py >anywhere.py
expect 4 'begins in state [12], but those of the model begin in state 0' \
    foray explore "$sizes,initial=0" --in "exec:python3 anywhere.py" -k 50 -o bad.foray
holds "what was explored before is kept" test -f bad.foray

# A model that rules out what happens is wrong, and says so: states have no nearest one.
cat >wrong.json <<'J'
{"format":"foray-model","version":1,"name":"wrong","states":3,"actions":1,"horizon":4,"dim":1,
 "norm_bound":1,"initial":[[0,1]],"features":[[0,0,0,[[0,1]]],[1,0,1,[[0,1]]],[2,0,2,[[0,1]]]]}
J
cat >walk.py <<'P'
from foray_world import World, serve
class Walk(World):
    name = "walk"
    states = 3
    actions = ["on"]
    horizon = 4
    simulators = 0
    def reset(self, key):
        return 0
    def step(self, key, simulator, action, state):
        return min(int(state[0]) + 1, 2)
serve(Walk())
P
expect 4 'in state 0 action 0 led to state 1, which the model rules out' \
    foray explore wrong.json --in "exec:python3 walk.py" -k 5 -o wrong.foray
expect 0 'explored' foray explore "exec:python3 walk.py" -k 5 -o walk.foray

finish
