#!/usr/bin/env bash
# test_progress.sh FORAY - progress as lines of JSON, --quiet, data through pipes, and names of
# states and actions in the lists of laws.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# --------------------------------------------------------------------- lines of JSON
# lines FILE KEY VALUE: every line is an object, and the last one says so.
lines() {
    holds "$1: there are lines" test -s "$1"
    while IFS= read -r line; do
        echo "$line" >one.json
        holds "a line is an object: $line" test "$(json seconds one.json)" != none
    done <"$1"
    holds "$1: the last line has $2 $3" test "$(json "$2" one.json)" = "$3"
}
expect 0 'explored riverswim' foray explore riverswim -k 300 --progress json -o river.foray
cp "$work/err" explore.log
lines explore.log episodes 300
holds "whose progress it is" grep -q '"progress":"explore"' explore.log
foray data river.foray -o river.csv
foray learn riverswim river.csv --progress json -o learnt.foray >/dev/null 2>learn.log
lines learn.log episodes 300
foray compare riverswim -a random -k 20 --seeds 2 --progress json -o comparison >/dev/null 2>compare.log
lines compare.log finished 2
foray explore tank --clusters grid:4x4 -k 5 -o tank.foray --quiet
foray rollout tank.foray -n 20 --progress json >/dev/null 2>rollout.log
lines rollout.log "done" 1
expect 0 '^$' sh -c "foray explore riverswim -k 5 -o none.foray 2>&1 >/dev/null; echo"
expect 2 'progress' foray explore riverswim -k 5 --progress xml -o xml.foray

# ------------------------------------------------------------------------ long calls
# Plans, checks and bounds say how far they are on a terminal, from the third second on. Seconds
# need not be work: the command is stopped for most of them.
foray explore rooms:rows=5,cols=5 -k 300 -o wide.foray --quiet
cat >terminal.py <<'P'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
for _ in range(6):
    time.sleep(0.04)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(pid, signal.SIGCONT)
try:
    while shown := os.read(terminal, 1 << 16):
        sys.stdout.buffer.write(shown)
except OSError:  # it has ended
    pass
P
python3 terminal.py foray plan wide.foray -r goals --no-store --threads 1 --quiet >quietly
python3 terminal.py foray plan wide.foray -r goals --no-store --threads 1 >shown
holds "a long plan says which certificate is next" grep -q '\] .*% certificates [0-9]* of 265, ' shown
holds "but not with --quiet" test ! -s quietly
foray plan wide.foray -r goal:3 --no-store --threads 1 2>log >/dev/null
holds "nor where standard error is no terminal" test ! -s log

# ----------------------------------------------------------------------------- quiet
# quiet FILE COMMAND...: it makes the file and says nothing.
quiet() {
    local made=$1
    shift
    "$@" --quiet >said 2>&1
    holds "it ends well: $*" test $? = 0
    holds "it says nothing: $*" test ! -s said
    holds "it makes $made: $*" test -e "$made"
}
quiet a.foray foray explore riverswim -k 5 -o a.foray
quiet b.foray foray learn riverswim river.csv -o b.foray
quiet plan.json foray plan river.foray -r goal:5 -o plan.json
quiet river.html foray report river.foray -o river.html
quiet again foray compare riverswim -a random -k 20 --seeds 2 -o again
quiet river.umb foray model export river.foray --to umb -o river.umb
quiet lake.json foray model import "$source_dir/examples/tables/FrozenLake-v1_4x4.csv" --horizon 9 -o lake.json
if foray play river.foray -o page.html >/dev/null 2>&1; then # else it is not built here
    quiet play.html foray play river.foray -o play.html
fi
quiet swim.json foray world export riverswim -o swim.json
quiet swim.compact foray model convert swim.json swim.compact
quiet plan.csv foray policy export plan.json -o plan.csv
quiet data.csv foray data river.foray -o data.csv
quiet river.foray foray bound river.foray
quiet river.foray foray certify river.foray plan.json -r goal:5
quiet plan.json foray evaluate riverswim plan.json -r goal:5
quiet river.foray foray info river.foray
quiet river.foray foray verify river.foray
quiet swim.json foray model check swim.json
quiet swim.json foray world check tank
quiet river.foray foray rollout river.foray -r goal:5 -n 10
quiet lab foray lab lowerbound --quick --algorithms random --members 1 --seeds 2 --multiples 1 --cube-multiples 1 -o lab
foray explore riverswim -k 5 -o json.foray --quiet --json >quiet.json
holds "the object that is asked for is printed" test "$(json episodes quiet.json)" = 5
expect 3 'No such file' foray report none-such.foray -o none.html --quiet
expect 1 'certificate' foray plan a.foray -r goal:5 --require 0.001 --quiet

# What is asked for is printed with --quiet as well, to the last byte.
answers() {
    foray "$@" >loud
    foray "$@" --quiet >low
    holds "--quiet leaves it as it is: foray $*" cmp loud low
    holds "which is something: foray $*" test -s low
}
answers data river.foray
answers world list
answers lab list
answers help explore
answers policy export plan.json --to csv -o -
answers model convert swim.json - --to compact
holds "actions are answered" sh -c 'echo 0 | foray act plan.json --quiet | grep -q .'
while read -ra command; do
    holds "--quiet is understood by ${command[*]}" \
        sh -c 'foray "$@" --quiet --help | grep -q "^ *--quiet "' sh "${command[@]}"
done < <(commands)

# ----------------------------------------------------------------------------- pipes
foray learn riverswim river.csv -o file.foray >/dev/null
foray data file.foray >file
expect 0 '300 episodes' sh -c 'foray data river.foray | foray learn riverswim - -o pipe.foray'
holds "standard input is as good as a file" sh -c 'foray data pipe.foray | cmp - file'
mkfifo queue
foray data river.foray >queue &
expect 0 '300 episodes' foray learn riverswim queue -o fifo.foray
wait
holds "a named pipe as well" sh -c 'foray data fifo.foray | cmp - file'
expect 0 'the data fit' sh -c 'foray data river.foray | foray learn --check river.foray -'
expect 3 'standard input:3: ' sh -c 'printf "episode,step,state,action,next\n0,0,0,1,0\n0,7,0,1,0\n" |
    foray learn riverswim - -o bad.foray'
holds "which leaves no run behind" test ! -e bad.foray
expect 3 'standard input: no episodes' sh -c 'printf "episode,step,state,action,next\n" |
    foray learn riverswim - -o bad.foray'
holds "data are printed as they are read" sh -c 'foray data river.foray -o - | head -n 2 | grep -q ^0,0,'

# ----------------------------------------------------------------------------- names
foray explore frozenlake -k 100 -o ice.foray --quiet
expect 0 '\(0,0\) \(0\), left \(0\) of 64' foray plan ice.foray -r reach:15 --no-store
foray explore frozenlake:success=0.8 -k 400 --seed 2 -o other.foray --quiet
foray data other.foray -o other.csv
expect 1 'the law of start \(0,0\) \(0\), left \(0\) and 63 others' foray learn --check ice.foray other.csv
finish
