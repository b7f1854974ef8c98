#!/bin/bash
# foray world check: systems, plug-ins and programs, good ones and bad ones, as text and as JSON.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

built=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")
outside=$built/examples/outside
hostile=$built/tests/hostile_world

# Good ones, every way in.
expect 0 "conforms +yes" foray world check pendulum
expect 0 "conforms +yes" foray world check "plugin:$outside/thermostat.so"
expect 0 "conforms +yes" foray world check "plugin:$outside/thermostat.so:48"
expect 0 "conforms +yes" foray world check "exec:$outside/stockroom"
expect 0 "conforms +yes" foray world check "exec:python3 $source_dir/examples/outside/stockroom.py"
expect 0 "conforms +yes" foray world check "exec:python3 $source_dir/examples/outside/thermostat.py 30"
expect 0 . foray world check "exec:$outside/stockroom" --json --draws 100 --seed 7
cp "$work/out" good.json
holds "the verdict" test "$(json conforms good.json)" = true
holds "the first check" test "$(json checks.0.name good.json)" = '"spec"'
holds "its result" test "$(json checks.0.result good.json)" = '"passed"'
holds "failed" test "$(json failed good.json)" = 0

# Ones that answer, but break a rule.
expect 1 "failed +repeat" foray world check "exec:$hostile moody"
expect 1 "action [01], reality, state [0-4]: coordinate 0 of the answer was" \
    foray world check "exec:$hostile moody"
expect 1 "failed +mixture" foray world check "exec:$hostile liar"
expect 1 "does not keep the contract" foray world check "exec:$hostile generous"
expect 1 . foray world check "exec:$hostile generous" --json
cp "$work/out" bad.json
holds "the verdict" test "$(json conforms bad.json)" = false
holds "failed" test "$(json failed bad.json)" = 1

# A world in Python that keeps a memory, and one that raises.
cat >memory.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from foray_world import World, serve

class Memory(World):
    name = "memory"
    states = 3
    actions = ["go"]
    horizon = 5
    calls = 0

    def reset(self, key):
        return (0,)

    def step(self, key, simulator, action, state):
        self.calls += 1
        if self.calls > int(sys.argv[2]):
            raise RuntimeError("the memory is full")
        return (self.calls % 3,)

serve(Memory())
END
expect 1 "failed +order" foray world check "exec:python3 memory.py $source_dir/examples/outside 1000000"
expect 4 "the program says: RuntimeError: the memory is full" \
    foray world check "exec:python3 memory.py $source_dir/examples/outside 100"
expect 4 "line [0-9]+, in step" \
    foray world check "exec:python3 memory.py $source_dir/examples/outside 100"

# Simulators that are said to be deterministic must be, and those that are should say so.
cat >arm.py <<'END'
import sys
from foray_world import World, serve, uniform

class Arm(World):
    name = "arm"
    low, high = [0], [1]
    actions = ["go"]
    horizon, simulators = 5, 2
    deterministic = "says" in sys.argv

    def reset(self, key):
        return (0.5,)

    def step(self, key, simulator, action, state):
        if simulator < 0:
            simulator = int(uniform(key) < 0.5)
        noise = uniform(key, 1) if "lies" in sys.argv else 0
        return (0.9 * state[0] + 0.05 * simulator + 0.01 * noise,)

serve(Arm())
END
cp "$source_dir/examples/outside/foray_world.py" .
expect 0 "none of a simulator: if they are deterministic, say so" foray world check "exec:python3 arm.py"
expect 0 "answers change with the draw$" foray world check "exec:python3 arm.py says"
expect 1 "simulator [01], state .* said to be deterministic" foray world check "exec:python3 arm.py says lies"
expect 0 "answers change with the draw$" foray world check "exec:python3 arm.py lies"

# The programs that the page shows: one that remembers, then a system.
awk '/^```$/ { shown = 0 } shown { print >("shown" shown ".py") } /^```python$/ { shown = ++count }' \
    "$source_dir/docs/outside.md"
mv shown2.py shown.py
expect 0 "walk: 10 states, 2 actions" foray world check "exec:python3 shown1.py"
expect 0 "thermostat: 2 dimensions, 3 actions, 3 simulators" foray world check "exec:python3 shown.py"
sed 's/simulators = 3/simulators = 3\n    weights = [1]/' shown.py >odd.py
expect 4 "ValueError: give a weight for every simulator" foray world check "exec:python3 odd.py"

# What returns the wrong thing is told what the right one is; started by hand, how to start it.
cat >coin.py <<'END'
import sys
from foray_world import World, serve, uniform

class Coin(World):
    name = "coin"
    states, actions, horizon, simulators, rewards = 2, ["toss", "keep"], 10, 2, ["heads"]

    def reset(self, key):
        return {"reset": (0, 1)}.get(sys.argv[1], 0)

    def step(self, key, simulator, action, state):
        return {"step": "heads"}.get(sys.argv[1], int(uniform(key) < 0.5 + 0.2 * (simulator == 1)))

    def reward(self, name, state, action):
        return {"reward": 7}.get(sys.argv[1], int(state[0] == 1))

if sys.argv[1] == "nothing":
    del Coin.step
if sys.argv[1] == "actions":
    Coin.actions = []
serve(Coin())
END
expect 0 "coin: .*2 actions" foray world check "exec:python3 coin.py well"
expect 4 "reset returned \(0, 1\), but a state is a number" foray world check "exec:python3 coin.py reset"
expect 4 "step returned 'heads', but a state is a number" foray world check "exec:python3 coin.py step"
expect 4 "reward heads returned 7, but it must be from 0 to 1" foray world check "exec:python3 coin.py reward"
expect 4 "write a method step\(self, key, simulator, action, state\)" foray world check "exec:python3 coin.py nothing"
expect 4 "set actions" foray world check "exec:python3 coin.py actions"
expect 1 'foray world check "exec:python3 coin.py"' python3 coin.py well

# Ones that are lost on the way, or never there.
expect 4 "skipped +speed" foray world check "exec:$hostile exit 12"
expect 4 "did not answer within 0.3 s" foray world check "exec:[timeout=0.3]$hostile hang 12"
expect 4 "exit status 127" foray world check "exec:./nowhere"
expect 4 "nowhere.so" foray world check "plugin:./nowhere.so"
expect 4 "horizon \"x\"" foray world check "plugin:$outside/thermostat.so:x"
expect 4 . foray world check "exec:$hostile exit 12" --json
cp "$work/out" lost.json
holds "JSON all the same" test "$(json conforms lost.json)" = false
expect 2 "there are timeout, start, grace" foray world check "exec:[tempo=1]$hostile"
expect 2 "no built-in" foray world check pendulums
expect 2 "draws" foray world check pendulum --draws 1
expect 2 "missing operand" foray world check

finish
