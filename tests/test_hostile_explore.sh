#!/bin/bash
# foray explore in programs: good ones from exploring to planning; hostile ones end the run with
# exit code 4, with every episode that had ended saved, and the run goes on once they are mended.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

built=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")
outside=$built/examples/outside
hostile=$built/tests/hostile_world

# From a simulator to a plan, whichever way in: the same run.
for world in "plugin:$outside/stockroom.so" "exec:$outside/stockroom" \
    "exec:python3 $source_dir/examples/outside/stockroom.py"; do
    expect 0 . timeout 120 foray explore "$world" -k 100 -o stock.foray --force
    foray plan stock.foray --trust -r served -r lean --no-store --json | sed /\"run\"/d >plan.json
    if [ -e first.json ]; then
        holds "$world plans as the plug-in does" cmp first.json plan.json
    else
        cp plan.json first.json
        holds "a plan" test "$(json plans.0.certificate.gap first.json)" != none
    fi
done
expect 0 "thermostat" foray explore "exec:$outside/thermostat" --clusters grid:8x8 -k 20 -o heat.foray

# A program whose manners lie in a file, so that it can be mended. It fails at its 41st step:
# ten episodes of four steps have ended then.
printf '#!/bin/sh\nexec %s $(cat manners) 41 lock\n' "$hostile" >world
chmod +x world
expect 0 "" foray world export "exec:$hostile good" -o ring.json
echo good >manners
expect 0 . foray explore ring.json --in exec:./world -k 60 -o whole.foray

plan_of() {
    foray plan "$1" --trust -r home --no-store --json | sed /\"run\"/d
}

# fails MANNERS LIMIT CAUSE
fails() {
    echo "$1" >manners
    expect 4 "$3" timeout 120 \
        foray explore ring.json --in "exec:[timeout=$2,grace=0.2]./world" -k 60 -o "$1.foray"
    holds "$1: it says how to go on" \
        grep -q "10 episodes are saved; .* once the cause is gone, continue with: foray explore --resume -o $1.foray --trust" "$work/err"
    foray info "$1.foray" --json >info.json
    holds "$1: ten episodes are saved" test "$(json episodes info.json)" = 10
    echo good >manners
    expect 0 . timeout 120 foray explore --resume --trust -o "$1.foray"
    holds "$1: as if nothing had happened" test "$(plan_of "$1.foray")" = "$(plan_of whole.foray)"
}
fails hang 0.5 "did not answer within 0.5 s"
fails dribble 0.5 "did not answer within 0.5 s"
fails exit 100 "the program ended \(exit status 7\)"
fails killed 100 "the program ended \((signal 9: Killed|exit status 137)\)"
fails grandchild 100 "the program ended \(exit status 0\)"
fails flood 100 "sequence number"
fails noise 100 "does not speak the world protocol"
fails error 100 "the program says: the ring is"
fails range 100 "is 99"
fails nan 100 "is nan"

# --force replaces when exploring begins: what fails before replaces nothing, what fails later has begun a new run.
cp whole.foray forced.foray
expect 4 "without answering|cannot be" timeout 120 \
    foray explore ring.json --in exec:./none -k 60 -o forced.foray --force
holds "a world that does not start replaces nothing" cmp whole.foray forced.foray
echo range >manners
expect 4 "10 episodes are saved" timeout 120 \
    foray explore ring.json --in exec:./world -k 60 -o forced.foray --force

# While it is asked for a model: no run, the same exit code.
expect 4 "exit status 7" foray explore "exec:$hostile exit 3" -k 5 -o none.foray
expect 4 "is nan" foray explore "exec:$hostile nan 3" -k 5 -o none.foray
holds "no run" test ! -e none.foray

# Plug-ins: one that calls exit(0) does not end in success, and one that is contained may crash.
bad=$built/tests/bad_plugin.so
# A crash is to be a crash, also where a sanitizer would rather report it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0" UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}handle_segv=0"
expect 4 "the plug-in ended the process by calling exit" foray world check "plugin:$bad:exit"
expect 4 "conforms +no" foray world check "plugin:$bad:exit" --contain
expect 4 "signal 11" foray world check "plugin:$bad:crash" --contain
expect 4 "not on Sundays" foray world check "plugin:$bad:refuse" --contain
expect 2 "only a plug-in .* can be contained" foray world check pendulum --contain
expect 0 "conforms +yes" foray world check "plugin:$bad" --contain
expect 0 "" foray explore "plugin:$bad:crash-late" -a random -k 50 --clusters grid:5 -o calm.foray
expect 4 "signal 11" timeout 120 \
    foray explore "plugin:$bad:crash-late" --contain -a random -k 100000 --clusters grid:5 -o crash.foray
expect 0 "verified +yes" foray verify crash.foray
foray info crash.foray --json >crash.json
holds "episodes were saved" test "$(json episodes crash.json)" -gt 1000
expect 0 "foray rollout stock.foray --trust --contain" \
    foray explore "plugin:$outside/stockroom.so" --contain -k 100 -o stock.foray --force
foray plan stock.foray --trust --contain -r served -r lean --no-store --json | sed /\"run\"/d >plan.json
holds "a contained plug-in gives the same plan" cmp first.json plan.json

# One that closes what it did not open takes the run's file with it: said, not guessed.
expect 3 "close.foray: other code in this process, such as a plug-in, closed descriptors" \
    timeout 120 foray explore "plugin:$bad:close" -a random -k 100000 --clusters grid:5 -o close.foray
expect 4 "the program" timeout 120 foray explore "plugin:$bad:close" --contain -a random -k 100000 \
    --clusters grid:5 -o close-contained.foray
for run in close close-contained; do
    expect 0 "verified +yes" foray verify $run.foray
done

# One that sets how numbers are rounded changes no bit of ours.
for moment in '' -entry -reset -step -reward; do
    foray explore "plugin:$bad:round$moment" --clusters grid:5 -k 100 --quiet -o round.foray --force
    foray verify round.foray >verified$moment
    foray rollout round.foray --trust -r one -n 20 --json | sed '/"run"\|"world"/d' >rounded$moment
    holds "rounding set at ${moment:-no time}: verified" cmp verified verified$moment
    holds "rounding set at ${moment:-no time}: the same numbers" cmp rounded rounded$moment
done

# No shell reads where a plug-in lies, whatever its name is. (A ':' ends the name.)
names=("it's" "a b" '$(touch pwned)' '`touch pwned`' "';touch pwned;'" $'a\nb' '"' '\' -dash '*' '~' '#')
for name in "${names[@]}"; do
    mkdir -- "$name"
    cp "$bad" "./$name/x.so"
    expect 0 "conforms +yes" foray world check "plugin:./$name/x.so" --contain
    expect 4 "not on Sundays" foray world check "plugin:./$name/x.so:refuse" --contain
done
expect 4 "cannot open shared object" foray world check "plugin:';touch pwned; '" --contain
holds "nothing was obeyed" test ! -e pwned

# The command to go on with is one that can be pasted, whatever the run is called.
echo exit >manners
for name in "it's" 'a b$(touch pwned)'; do
    expect 4 "continue with: foray explore" timeout 120 \
        foray explore ring.json --in "exec:./world" -k 60 -o "$name.foray"
    echo good >manners
    expect 0 . timeout 120 bash -c "$(sed -n 's/.*continue with: //p' "$work/err")"
    echo exit >manners
done
holds "nor here" test ! -e pwned

# What was typed is what stands where a world does: never the name of a run file.
echo good >manners
expect 0 . foray explore ring.json --in "exec:touch started; ./world" -k 5 -o typed.foray
rm started
mkdir 'exec:touch started; .'
cp typed.foray 'exec:touch started; ./world'
cp typed.foray 'exec:touch started; ./world@x.foray'
for run in 'exec:touch started; ./world' 'exec:touch started; ./world@x.foray'; do
    for refused in plan rollout data "explore --resume -k 9 -o"; do
        reward="-r home"
        case $refused in explore*) reward="" ;; esac
        # shellcheck disable=SC2086
        expect 2 'if you trust the run file, --trust starts it' foray $refused "$run" $reward
    done
    expect 2 'is also the name of a file' foray world export "$run" -o stolen.json
    expect 2 'is also the name of a file' foray world check "$run"
done
expect 2 '--trust starts it' foray explore "exec:touch started; ./world" --resume -k 9 -o typed.foray
holds "nothing was started" test ! -e started
rm -r 'exec:touch started; .'
expect 2 '--trust starts it' foray explore "exec:touch started; ./world@grid:3" --resume -k 90 -o whole.foray
expect 0 . foray explore "exec:touch started; ./world" --resume -k 9 -o typed.foray
holds "what was typed is" test -e started

finish
