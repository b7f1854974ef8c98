#!/usr/bin/env bash
# test_sequential.sh FORAY - programs that remember (protocol 2): asked as an episode goes, repeated
# from their reset alone, ended by themselves; and those that get it wrong.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

cp "$source_dir"/examples/outside/foray_world.py .
cat >walk.py <<'P'
import random
from foray_world import World, done, serve

class Walk(World):
    """From 0 to 9, which is absorbing; where it is only the program knows."""
    name = "walk"
    states = 10
    actions = ["wait", "go"]
    horizon = 30
    sequential = True
    rewards = ["far"]

    def reset(self, key):
        self.luck = random.Random(key)
        self.place = self.luck.randrange(2)
        return self.place

    def step(self, key, simulator, action, state):
        assert self.place < 9, "asked beyond the end"
        self.place += action * (self.luck.random() < 0.7)
        return done(self.place) if self.place == 9 else self.place

    def reward(self, name, state, action):
        return state[0] / 9

if __name__ == "__main__":
    serve(Walk())
P
walk="exec:python3 walk.py"

# ------------------------------------------------------------------------- it conforms
expect 0 'passed +replay' foray world check "$walk"
holds "its answers are asked for in no other order" grep -qE 'skipped +answers .*every action' "$work/out"
holds "its rewards are checked" grep -qE 'passed +rewards' "$work/out"
# The replay of an episode must not depend on what was played in between.
sed 's/self.luck = random.Random(key)/self.luck = getattr(self, "luck", random.Random(key))/' \
    walk.py >forgetful.py
expect 1 'FAILED +replay|failed +replay' foray world check "exec:python3 forgetful.py"

# ------------------------------------------------------------------- explored and tried
expect 0 'for 200 episodes' foray explore "$walk" -k 200 -o walk.foray
expect 0 'for 100 episodes' foray explore "$walk" -k 100 -o parts.foray
expect 0 'for 200 episodes' foray explore "$walk" --resume -k 200 -o parts.foray
for run in walk parts; do
    foray plan $run.foray -r reach:9 --no-store --json | sed /\"run\"/d >$run.json
    foray data $run.foray -o $run.csv
done
holds "a resumed run plans the same" cmp walk.json parts.json
holds "and has seen the same" cmp walk.csv parts.csv
expect 0 'reach:9 +1 \[' foray rollout walk.foray --trust -r reach:9 -n 300
expect 0 'far ' foray rollout walk.foray --trust -r far -n 20

# What needs any state at any time is refused, with the reason.
cat >known.json <<'J'
{"format":"foray-model","version":1,"name":"known","states":10,"actions":2,"horizon":30,"dim":1,
 "norm_bound":1,"initial":[[0,0.5],[1,0.5]],"features":[
J
awk 'BEGIN { for (s = 0; s < 10; s++) for (a = 0; a < 2; a++)
    printf "%s[%d,%d,%d,[[0,1]]]", s + a ? "," : "", s, a, s; print "]}" }' >>known.json
expect 4 'is sequential' foray explore known.json --in "$walk" -a generative -k 5 -o bad.foray

# ------------------------------------------------------------------ what cannot be used
sed 's/sequential = True/sequential = True; simulators = 2/' walk.py >both.py
expect 4 'a sequential program has no simulators' foray world check "exec:python3 both.py"
sed -e 's/_VERSION = 1/_VERSION = 2/' -i foray_world.py
expect 4 'speaks version 2 of the world protocol, but this Foray speaks version 1' \
    foray explore "$walk" -k 5 -o old.foray
finish
