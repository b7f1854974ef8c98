#!/bin/bash
# test_orphans.sh FORAY - programs that spin do not outlive Foray: one SIGTERM ends it with everything
# saved, however long an answer may take; after SIGKILL they are gone as well, and hold no pipe open.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

built=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")
hostile=$built/tests/hostile_world
expect 0 "" foray world export "exec:$hostile good" -o ring.json

# The program says its number. What it does lies in a file: it can be mended, and what its shell does
# around it changed.
echo "exec $hostile \$(cat manners) 41 spinning" >around
printf '#!/bin/sh\necho $$ >>programs\n. ./around\n' >world
chmod +x world
echo good >manners
expect 0 . foray explore ring.json --in "exec:[timeout=1000]./world" -k 60 -o whole.foray
foray data whole.foray >whole

# Nobody need have reaped it yet.
gone() {
    ! kill -0 "$1" || grep -q '^State:.*Z' "/proc/$1/status"
}

# stopped SIGNAL ARGUMENTS...: explores until the program spins, and sends the signal once; waits until
# nobody holds the pipe from its standard output and error any more, and sets $code.
stopped() {
    local signal=$1
    shift
    rm -f spinning programs closed code pid
    echo spin >manners
    {
        foray explore "$@" 2>&1 &
        echo $! >number
        mv number pid
        wait $! 2>/dev/null
        echo $? >code
    } | {
        cat >said
        touch closed
    } &
    appears spinning
    kill "-$signal" "$(cat pid)"
    appears closed
    code=$(cat code)
    echo good >manners
    sleep 0.1
    for program in $(cat programs); do
        holds "SIG$signal, $*: program $program is gone" gone "$program"
    done
}

long="exec:[timeout=1000,start=1000]./world"
for workers in 1 3; do
    stopped TERM ring.json --in "$long" -k 60 --workers $workers -o term.foray --force
    holds "one SIGTERM is enough ($code)" test "$code" = 130
    holds "and what it means is said" grep -q "stopped by a signal, everything is saved" said
    expect 0 "verified +yes" foray verify term.foray
    expect 0 . timeout 120 foray explore --resume --trust -o term.foray
    foray data term.foray | cmp -s - whole || fail "$workers: not as if nothing had happened"
    stopped KILL ring.json --in "$long" -k 60 --workers $workers -o kill.foray --force
    expect 0 . timeout 120 foray explore --resume --trust -o kill.foray
    foray data kill.foray | cmp -s - whole || fail "$workers: killed, and something happened"
done

# Deaf to SIGTERM; and behind a shell that waits for it, which a signal to the program alone would miss.
echo "trap '' TERM; $hostile \$(cat manners) 41 spinning; true" >around
stopped TERM ring.json --in "$long" -k 60 -o deaf.foray
holds "deaf, too ($code)" test "$code" = 130
stopped KILL ring.json --in "$long" -k 60 -o deaf.foray --force
echo "exec $hostile \$(cat manners) 3 spinning" >around

# One that leaves the group is ended all the same, as long as Foray lives.
left="exec:[timeout=1000,start=1000]exec setsid ./world"
stopped TERM ring.json --in "$left" -k 60 -o left.foray
holds "out of the group ($code)" test "$code" = 130
echo "trap '' TERM; $hostile \$(cat manners) 41 spinning & echo \$! >>programs; wait" >around
stopped TERM ring.json --in "$left" -k 60 -o left.foray --force
holds "with what it started ($code)" test "$code" = 130
echo "exec $hostile \$(cat manners) 3 spinning" >around

# While it is asked for a model.
stopped TERM "$long" -k 60 -o asked.foray
holds "asked for a model ($code)" test "$code" = 130
holds "no run" test ! -e asked.foray
stopped KILL "$long" -k 60 -o asked.foray
finish
