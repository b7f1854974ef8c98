#!/usr/bin/env bash
# test_workers.sh FORAY - foray explore --workers: the bits of one worker from built-in worlds,
# programs and plug-ins, also after a kill, with another number of workers; and workers that fail.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

built=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")
outside=$built/examples/outside
hostile=$built/tests/hostile_world
cp "$source_dir"/examples/outside/{lake,foray_world}.py .

# Episodes, and what follows from them.
bits_of() {
    foray data "$1" && foray bound "$1" --json | sed /\"run\"/d
}

# same_bits WHAT WORKERS WORLD OPTION...: for one worker and these numbers.
same_bits() {
    local what=$1 workers=$2
    shift 2
    for n in 1 $workers; do
        expect 0 "workers +$n; [0-9,]+ episodes? played ahead (was|were) discarded" \
            timeout 120 foray explore "$@" --workers "$n" -o "run$n.foray" --force
        bits_of "run$n.foray" >"bits$n"
        holds "$what: $n workers" cmp bits1 "bits$n"
    done
}
same_bits "a built-in world" "2 5 8" riverswim -k 400
same_bits "plans as often as it may" "2 5 8" riverswim -a rf-express --plan-every 16 -k 100
same_bits "a plug-in" "2 8" "plugin:$outside/stockroom.so" -k 60
same_bits "a plug-in in processes" 5 "plugin:$outside/stockroom.so" -k 20 --contain
same_bits "a program" "5 8" "exec:$outside/stockroom" -k 60
same_bits "a system" 5 tank --clusters grid:5x5 -k 20
same_bits "a program of which nothing is known" 4 "exec:python3 lake.py" -k 50
cp bits1 lake
foray info run4.foray --json >info.json
holds "plans after every 16th episode where nothing is known" test "$(json settings.plan_every info.json)" = 16
expect 0 . foray explore "exec:python3 lake.py" --plan-every 8 -k 50 -o often.foray
holds "which can be changed" sh -c "! bits_of often.foray | cmp - lake"

# Kept in the run; the number of workers is not.
expect 2 'started with plan_every 16, not 3' foray explore --resume --trust --plan-every 3 -o run4.foray
expect 0 '"workers": 3' foray explore --resume --trust -k 60 --workers 3 --json -o run4.foray
expect 0 '"workers": 1' foray explore --resume --trust -k 60 --json -o run1.foray
bits_of run1.foray >bits1
bits_of run4.foray >bits4
holds "goes on with other workers" cmp bits1 bits4

# Where nothing can be played ahead, it says so and why.
expect 0 'workers +1: nothing can be played ahead, since rf-express plans after every episode \(see --plan-every\)' \
    foray explore riverswim -a rf-express -k 5 --workers 4 -o none.foray
expect 0 'workers +1: nothing can be played ahead, since sstp decides step by step' \
    foray explore riverswim -a sstp -k 5 --workers 4 -o none.foray --force
expect 2 'workers' foray explore riverswim -k 5 --workers 0 -o zero.foray
holds "without --workers nothing is said of them" \
    sh -c "foray explore riverswim -k 5 -o none.foray --force | grep -c workers | grep -qx 0"

# Killed at a moment of its own, continued by others. The program says when it has been asked.
sed "s/^from foray_world.*/&\nopen('asked', 'w')/" lake.py >asked.py
expect 0 . foray explore "exec:python3 asked.py" -k 500 -o whole.foray
rm asked
foray explore "exec:python3 asked.py" -k 500 --workers 3 -o killed.foray >/dev/null 2>&1 &
appears asked
kill -9 $!
wait $! 2>/dev/null
expect 0 . timeout 120 foray explore "exec:python3 asked.py" -k 500 --workers 2 -o killed.foray \
    "$([ -e killed.foray ] && echo --resume || echo --force)"
bits_of whole.foray | grep -v run >one
bits_of killed.foray | grep -v run >other
holds "killed and continued by others" cmp one other

# A worker that dies or hangs ends the run, with what had ended saved; mended, it goes on.
# shellcheck disable=SC2016
printf '#!/bin/sh\nexec %s $(cat manners) 41\n' "$hostile" >world
chmod +x world
expect 0 "" foray world export "exec:$hostile good" -o ring.json
echo good >manners
expect 0 . foray explore ring.json --in exec:./world -k 90 -o ring.foray
for manners in exit hang; do
    echo $manners >manners
    expect 4 "episodes are saved; .* continue with" timeout 120 foray explore ring.json \
        --in "exec:[timeout=0.5,grace=0.2]./world" -k 90 --workers 3 -o $manners.foray
    expect 0 "verified +yes" foray verify $manners.foray
    echo good >manners
    expect 0 . timeout 120 foray explore --resume --trust --workers 2 -o $manners.foray
    foray data ring.foray >one
    foray data $manners.foray >other
    holds "$manners: as if nothing had happened" cmp one other
done
finish
