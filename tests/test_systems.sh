#!/usr/bin/env bash
# test_systems.sh FORAY - systems on the command line: explore a continuous system, resume,
# plan for its rewards, try the plans in reality; models exported; bad input.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ------------------------------------------------------------------ what there is
expect 0 'pendulum' foray world list
expect 0 'rewards: balance, left, spin, save' foray world list
expect 0 'rewards: low, high, below, save' foray world list tank
holds 'only the world named is listed' test "$(foray world list tank | grep -c '^[a-z]')" -eq 2
expect 3 'no built-in world has that name; did you mean tank' foray world list tnk
foray world list --json >list.json
holds "systems are listed as JSON" grep -q '"balance"' list.json

# ---------------------------------------------------------------- models of systems
expect 0 '' foray world export tank --clusters grid:7x7 -o option.json
expect 0 '' foray world export tank@grid:7x7 -o text.json
holds "the text and the option say the same" cmp option.json text.json
expect 0 '' foray world export tank@grid:7x7 --threads 1 -o one.json
holds "threads change nothing" cmp option.json one.json
expect 0 'states +49' foray model check option.json
expect 0 '' foray world export tank@grid:7x7 --draws 30 --aggregate-seed 4 --force -o option.json
expect 0 '' foray world export tank@grid:7x7,draws=30,seed=4 --force -o text.json
holds "so it is with draws and seed" cmp option.json text.json
expect 0 '' foray world export tank:noise=1@grid:5x5 --accuracy 0.4 -o accurate.json
expect 0 '' foray world export tank:noise=1@grid:5x5,accuracy=0.4 --force -o text.json
holds "and with accuracy" cmp accurate.json text.json
error() { json feature_error "$1"; }
holds "the error is at most what was asked for" awk "BEGIN { exit !($(error accurate.json) <= 0.4) }"
expect 0 '' foray world export tank@grid:5x5 -o still.json
holds "without noise there is no Monte Carlo error" test "$(error still.json)" = none

# -------------------------------------------------------- explore, resume, plan, try
expect 0 'next +foray rollout whole.foray' \
    foray explore tank --clusters grid:9x9 -k 40 --seed 3 -o whole.foray
expect 0 'explored tank@grid:9x9' foray explore tank@grid:9x9 -k 20 --seed 3 -o parts.foray
expect 0 'for 40 episodes' foray explore --resume -k 40 -o parts.foray
expect 0 '' foray explore tank --resume -k 40 -o parts.foray
foray plan whole.foray -r high -r save --no-store --json >whole.json
foray plan parts.foray -r high -r save --no-store --json >parts.json
sed -i /\"run\"/d whole.json parts.json
holds "a run that was resumed plans the same" cmp whole.json parts.json
expect 0 'verified +yes' foray verify whole.foray
expect 0 'high' foray plan whole.foray -r high
expect 0 'high' foray info whole.foray
expect 0 '' foray report whole.foray -o page.html
axes='To the right: level 1 from 0 to 1; upwards: level 2 from 0 to 1\.'
holds "the maps of visits and of a plan say what their sides are" \
    test "$(grep -c "$axes" page.html)" -ge 2
expect 0 '' foray explore grid -k 5 -o grid.foray
expect 0 '' foray report grid.foray -o grid.html
holds "where nothing tells, nothing is told" bash -c '! grep -q "To the right:" grid.html'

expect 0 'return in reality' foray rollout whole.foray -r high -n 100
foray rollout whole.foray -n 100 --json >rollout.json
holds "all rewards without -r" test "$(json rewards.3.reward rollout.json)" = '"save"'
for key in return.mean true_parameters.low lost.high misfit.episode certificate.gap; do
    holds "rollout tells $key" test "$(json rewards.1.$key rollout.json)" != none
done
foray rollout whole.foray -n 100 --json --threads 1 >again.json
holds "rollouts can be repeated" cmp rollout.json again.json
foray rollout whole.foray -n 100 --json --seed 2 >other.json
holds "another seed is another reality" bash -c '! cmp -s rollout.json other.json'
# Rewards of clusters, of every form, and a policy from a file; a signal ends it.
expect 0 '^goal:3 +[0-9]' foray rollout whole.foray -r goal:3 -r reach:3 -r avoid:3 -n 50
echo '{"format":"foray-reward","version":1,"name":"there","range":[-2,1],"default":-2,
"entries":[[null,3,null,1]]}' >there.json
expect 0 '^there +-[0-9]' foray rollout whole.foray -r there.json -n 50
foray plan whole.foray -r high --no-store -o high.json >/dev/null
foray rollout whole.foray -r high -n 100 --json --policy high.json >given.json
holds "a policy from a file earns what the same plan earns" \
    test "$(json rewards.0.return.mean given.json)" = "$(json rewards.1.return.mean rollout.json)"
"$foray" rollout whole.foray -n 100000000 --progress json 2>stopped.txt &
until grep -qs progress stopped.txt; do sleep 0.05; done
kill -INT $!
code=0
wait $! || code=$?
holds "a signal ends rollouts" test "$code" = 130
holds "and they say so" grep -q 'stopped by a signal' stopped.txt
# Explored, a policy earns about what one planned with the true weights earns.
holds "little is lost" awk "BEGIN { exit !($(json rewards.1.lost.mean rollout.json) < 1) }"

# An algorithm that sees the reward takes one that the system names.
expect 0 '' foray explore tank@grid:7x7 -a ucrl-vtr -r high -k 5 -o seen.foray

# A comparison works on the model.
expect 0 'ucrl-rfe' foray compare tank@grid:5x5 -a ucrl-rfe,random -k 5 --seeds 1 --rounds 0 -o both

# ------------------------------------------------------------- systems from outside
outside=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/examples/outside
expect 0 '' foray explore "exec:$outside/thermostat" --clusters grid:8x8 -k 20 -o program.foray
expect 0 '' foray explore "plugin:$outside/thermostat.so" --clusters grid:8x8 -k 20 -o plugin.foray
for way in program plugin; do
    foray rollout $way.foray --trust -n 100 --json | sed '/"run"\|"world"/d' >$way.json
done
holds "a program and a plug-in are one world" cmp program.json plugin.json
holds "with rewards" test "$(json rewards.0.reward program.json)" = '"comfort"'
expect 0 '' foray explore "plugin:$outside/stockroom.so" -k 20 -o finite.foray
expect 0 'served' foray rollout finite.foray --trust -n 100
holds "a finite system is its own clusters" grep -q '@states' <(foray info finite.foray)
expect 0 '' foray world export "plugin:$outside/stockroom.so" -o stock.json
expect 0 '' foray explore stock.json --in "exec:$outside/stockroom" -k 20 -o in.foray
expect 0 'served' foray rollout in.foray --trust -n 100
expect 0 '25 episodes' foray explore --resume --trust -k 25 -o in.foray
# Queries begin no episodes, so they cannot refute where the model says that episodes begin.
expect 0 'first states +their law is taken on trust: queries begin no episodes' \
    foray explore stock.json --in "exec:$outside/stockroom" -a generative -k 20 -o asked.foray
expect 0 'first states +their law is taken on trust: queries' foray info asked.foray
foray report asked.foray -o asked.html >/dev/null
holds 'the page says so' grep -q 'taken on trust: queries' asked.html
foray explore riverswim -a generative -k 20 -o own.foray >own.txt
holds 'where the world is the model there is nothing to trust' bash -c '! grep -q "on trust" own.txt'

# Most simulators from outside do not know the weights of reality: the return and the misfit
# are there, the comparison with the truth is not, and the text says so.
examples=$(realpath "$(dirname "$0")/../examples/outside")
sed '/weights = /d' "$examples/thermostat.py" >unknown.py
cp "$examples/foray_world.py" .
expect 0 'next +foray rollout unknown.foray --trust' \
    foray explore "exec:python3 unknown.py" --clusters grid:6x6 -k 20 -o unknown.foray
foray rollout unknown.foray --trust -n 50 >text
holds "the return is told" grep -q '^comfort *[0-9.]* \[' text
holds "no column for what is not known" bash -c '! grep -q "lost$\|nan" text'
holds "it says what is not known" grep -q 'true parameters are not known' text
holds "and what the misfit is under" grep -q 'parameters that the run estimated' text
foray rollout unknown.foray --trust -n 50 --json >unknown.json
holds "so does JSON" test "$(json misfit_parameters unknown.json)" = '"estimated"'
holds "with the misfit" test "$(json rewards.0.misfit.episode unknown.json)" != none
holds "without a comparison" test "$(json rewards.0.true_parameters unknown.json)" = none
holds "known weights are used" test "$(json misfit_parameters program.json)" = '"true"'
# An algorithm that knows nothing of simulators has no parameters to measure with.
expect 0 '' foray explore "exec:python3 unknown.py" --clusters grid:6x6 -a rf-express -k 20 \
    -o tabular.foray
expect 0 'the misfit is not measured: the algorithm' foray rollout tabular.foray --trust -n 50
# Nor has a machine without simulators, explored with a model from elsewhere.
cat >machine.py <<'END'
from foray_world import World, serve, uniform

class Machine(World):
    name, states, dimensions = "machine", 5, ["place"]
    actions, horizon, simulators, rewards = ["left", "right"], 8, 0, ["end"]
    def reset(self, key):
        return (2,)
    def step(self, key, simulator, action, state):
        move = (1 if action else -1) * (1 if uniform(key, 0) < 0.9 else -1)
        return (min(max(state[0] + move, 0), 4),)
    def reward(self, name, state, action):
        return float(state[0] == 4)

serve(Machine())
END
foray world export chain:states=5,zones=1,horizon=8 -o chain.json
sed '/^"theta"/d' chain.json >possible.json
holds "the model does not know theta" bash -c '! grep -q theta possible.json'
expect 0 '' foray explore possible.json --in "exec:python3 machine.py" -k 100 -o machine.foray
expect 0 'misfit is not measured: the model' foray rollout machine.foray --trust -n 50
expect 0 'true parameters are not known' foray rollout machine.foray --trust -n 50
# Without theta nobody can tell a tie from a lack of data, and nobody claims to.
expect 1 'theta is not known: ties, which never become 0' \
    foray explore possible.json --in "exec:python3 machine.py" -k 5 --until 0 --for goals -o few.foray
holds "neither is claimed" sh -c "! grep -q 'exact tie\|data are lacking' '$work/out'"
expect 1 '' foray explore --resume --trust -k 6 --json -o few.foray
holds "nor in JSON" test "$(json missed.0.tie "$work/out")" = null

# More dimensions than a grid can have: radial centres, from aggregating to the real arm, whose
# five joints are to be lifted. Its simulators are deterministic, so that there is no error of
# Monte Carlo, and the certificate is worth something; without saying so it is not.
cat >arm.py <<'END'
import sys
from foray_world import World, serve, uniform

class Arm(World):
    name = "arm"
    dimensions = ["base", "shoulder", "elbow", "wrist", "hand"]
    low, high = [-1] * 5, [1] * 5
    actions = ["rest", "lower", "upper", "lift"]
    horizon, simulators, rewards = 8, 2, ["high", "low"]
    deterministic = len(sys.argv) < 2

    def reset(self, key):
        return [0.2 * uniform(key, i) - 0.1 for i in range(5)]

    def step(self, key, simulator, action, state):
        if simulator < 0:
            simulator = int(uniform(key, 9) < 0.3)
        push = ((0, 0, 0, 0, 0), (1, 1, 0, 0, 0), (0, 0, 1, 1, 1), (1, 1, 1, 1, 1))[action]
        return [0.9 * s + (0.2, 0.4)[simulator] * p for s, p in zip(state, push)]

    def reward(self, name, state, action):
        high = min(max(sum(state) / 5, 0), 1)
        return high if name == "high" else 1 - high

serve(Arm())
END
expect 2 'grid' foray explore "exec:python3 arm.py" --clusters grid:3x3x3x3x3 -k 5 -o bad.foray
expect 0 'Monte Carlo error +0 per step' foray explore "exec:python3 arm.py" --clusters radial:80 \
    -k 60 -o arm.foray
foray rollout arm.foray --trust -n 200 --json >arm.json
holds "it is lifted" awk "BEGIN { exit !($(json rewards.0.return.low arm.json) > 3) }"
holds "or not" awk "BEGIN { exit !($(json rewards.1.return.low arm.json) > 6) }"
holds "surely" awk "BEGIN { exit !($(json rewards.0.certificate.gap arm.json) < 4) }"
holds "the misfit is measured" awk "BEGIN { exit !($(json rewards.0.misfit.episode arm.json) > 0) }"
expect 0 'Monte Carlo error +0\.' foray explore "exec:python3 arm.py random" --clusters radial:80 \
    -k 10 -o random.foray

# A run file does not start anything that the command line does not name.
for refused in "rollout in.foray" "plan in.foray -r served" "explore --resume -k 30 -o in.foray"; do
    # shellcheck disable=SC2086
    expect 2 'if you trust the run file, --trust starts it' foray $refused
done
expect 0 '25 episodes' foray explore "plugin:$outside/stockroom.so" --resume -k 25 -o finite.foray

# ------------------------------------------------------------------------ bad input
expect 2 'no parameter is called' foray explore pendulum:mass=1 -o bad.foray
expect 3 'did you mean pendulum' foray explore pendulun -o bad.foray
expect 2 "cannot be combined" foray explore tank --draws 5 --accuracy 0.5 -o bad.foray
expect 2 'draws' foray explore tank --draws 0 -o bad.foray
expect 2 'draws=many, but it must be an integer' foray explore tank@grid:5x5,draws=many -o bad.foray
expect 2 'seed=-1, but it must be an integer' foray explore tank@grid:5x5,seed=-1 -o bad.foray
expect 2 'too many' foray explore tank:noise=1@grid:5x5 --accuracy 1e-9 -o bad.foray
for clusters in grid:5 grid:1x5 grid:axb grid:5x5x5 cubes:5 states radial:; do
    foray explore tank --clusters "$clusters" -k 5 -o bad.foray >out 2>err
    code=$?
    holds "--clusters $clusters is refused ($code)" test $code -eq 2 -o $code -eq 3
    holds "--clusters $clusters has a message" test -s err
done
holds "nothing was begun" test ! -e bad.foray
expect 2 'takes no --clusters' foray explore --resume --clusters grid:8x8 -o whole.foray
expect 3 'another model' foray explore pendulum --resume -k 50 -o whole.foray
expect 3 'no such reward \(did you mean high' foray plan whole.foray -r hih
expect 3 'no such reward \(did you mean high' foray rollout whole.foray -r hih
expect 2 'episodes' foray rollout whole.foray -n 1
expect 2 'not a system' foray explore first.json --in chain -o bad.foray
sed 's/"horizon": *[0-9]*/"horizon":7/' stock.json >short.json
expect 3 'episodes of 7 steps' foray explore short.json --in "exec:$outside/stockroom" -o bad.foray
expect 2 'a system itself' foray explore tank --in pendulum -o bad.foray
expect 4 '' foray explore exec:/nowhere/at/all -o bad.foray
expect 4 '' foray explore plugin:/nowhere/at/all.so -o bad.foray
finish
