#!/bin/bash
# What cannot be written: every command that writes says so, by a message with the file's name and
# an exit code, and leaves nothing behind; and inputs without end are not taken into memory.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 100 -o run.foray >/dev/null
foray world export riverswim -o model.json
foray plan run.foray -r goal:0 --no-store -o plan.json >/dev/null
foray data run.foray -o run.csv
awk 'BEGIN { print "state,action,next,probability,reward"
             for (s = 0; s < 300; s++) print s ",0," (s * 7 + 1) % 300 ",1," (s == 0) }' >table.csv

commands=(
    "explore model.json -k 50 -o OUT"
    "learn model.json run.csv -o OUT"
    "plan run.foray -r goal:0 --no-store -o OUT"
    "plan run.foray -r goal:0 -r goal:1 --no-store -o OUT/"
    "report run.foray -o OUT"
    "report run.foray --figure theta -o OUT"
    "world export chain --to json -o OUT"
    "world export chain --to compact -o OUT"
    "model convert model.json OUT --to compact"
    "model import table.csv --horizon 3 --initial 0 --to json -o OUT"
    "model export run.foray --to umb -o OUT"
    "model export run.foray --to csv -o OUT"
    "data run.foray -o OUT"
    "policy export plan.json --to csv -o OUT"
    "policy export plan.json --to c -o OUT"
    "compare riverswim:states=4 -a random -k 20 --seeds 1 --threads 1 -o OUT"
    "lab ablation --quick --worlds riverswim --episodes 8 --seeds 1 -o OUT"
)

# cannot OUT RUNNER...: none of the commands can write OUT when it is run like this. What is
# printed goes through a pipe, which no limit of files stops. Of directories, they themselves stay.
cannot() {
    local out=$1 command code words
    shift
    for command in "${commands[@]}"; do
        read -ra words <<<"${command//OUT/$out}"
        find . /dev -maxdepth 1 | sort >"$work/before"
        code=$({ "$@" "$foray" "${words[@]}"; echo $? >&3; } 3>&1 1>/dev/null 2> >(cat >"$work/err"))
        wait
        find . /dev -maxdepth 1 | sort >"$work/after"
        checks=$((checks + 1))
        [ "$code" = 2 ] || [ "$code" = 3 ] || fail "exit code $code: $* foray ${words[*]}"
        holds "it says what cannot be written: $* foray ${words[*]}: $(cat "$work/err")" grep -qF "${out%/}" "$work/err"
        [[ -d $out && ! -L $out ]] && rm -r "$out" && sed -i "\\:^./$out\$:d" "$work/after"
        holds "$* foray ${words[*]} leaves something: $(diff "$work/before" "$work/after" | grep '[<>]')" \
            cmp "$work/before" "$work/after"
    done
}
cannot no/where
cannot /dev/full
cannot there bash -c 'ulimit -f 0; "$@"' _

# The second, or the last, of several files: those before it are taken back, so that the same
# command can be given again. A converter's half of a picture is none.
some() { bash -c 'ulimit -f '"$1"'; shift; "$@"' _ "$@"; }
expect 3 "new.json: .*File too large" some 4 foray model import table.csv --horizon 3 --initial 0 -o new.json
holds "no reward without its model" test ! -e new.own.reward.json
expect 0 "new.own.reward.json" foray model import table.csv --horizon 3 --initial 0 -o new.json
foray explore riverswim:states=8 -k 100 -o eight.foray >/dev/null
expect 3 "many/goal-[0-9].json: .*File too large" some 1 foray plan eight.foray -r goal:0 -r goal:7 --no-store -o many/
holds "the one that was small enough is taken back" test -z "$(ls many)"
expect 0 "many/goal-0.json" foray plan eight.foray -r goal:0 -r goal:7 --no-store -o many/
holds "one of them is small enough, one is not" \
    test "$(stat -c %s many/goal-0.json)" -le 1024 -a "$(stat -c %s many/goal-7.json)" -gt 1024
if command -v rsvg-convert >/dev/null; then
    expect 3 "page-theta.png: .*File too large" some 60 foray report run.foray --figure theta -o page.html
    holds "no page, no figure, no half of one" test -z "$(find . -name "page*")"
    mkdir bin && printf '#!/bin/sh\necho half\nexit 1\n' >bin/rsvg-convert && chmod +x bin/rsvg-convert
    expect 3 "page-theta.pdf: rsvg-convert failed" \
        env PATH="$PWD/bin:$PATH" foray report run.foray --figure theta -o page.html
    holds "nor of a converter that fails" test -z "$(find . -name "page*")"
    expect 0 "page-theta.svg, .csv, .pdf, .png" foray report run.foray --figure theta -o page.html
fi

# A run that could be made but not opened is none: with few files open at a time, and with more,
# there is a run or nothing.
too_few=0
for files in 5 6 7 8 9 10; do
    bash -c "ulimit -n $files; exec $foray explore chain -k 5 -o few.foray" >/dev/null 2>"$work/err"
    code=$?
    if [ $code -eq 0 ]; then
        holds "$files files: a run, and nothing beside it" test "$(echo few.foray*)" = few.foray
    elif [ $code -eq 3 ]; then # others: not even its libraries could be opened
        too_few=$((too_few + 1))
        holds "$files files: it says why: $(cat "$work/err")" grep -q "Too many open files" "$work/err"
        holds "$files files: nothing is left" test -z "$(find . -name 'few.foray*')"
    fi
    rm -f few.foray*
done
holds "some were too few" test $too_few -gt 0
expect 3 "made.foray: .*File too large" some 4 foray explore chain -k 5 -o made.foray

# Pipes where a file is needed: said at once, and nobody waits for a second writer.
expect 3 "/dev/stdin: a pipe" bash -c 'cat table.csv | foray model import /dev/stdin --horizon 3 --initial 0 -o piped.json'
expect 5 "/dev/stdin: not a Foray run: not a file" bash -c 'cat run.foray | foray info /dev/stdin'

# Inputs without end.
small() { bash -c 'ulimit -v 1000000; "$@"' _ "$@"; }
expect 3 "/dev/zero: not a policy" small foray act /dev/zero
expect 3 "/dev/zero: not a policy" small foray policy export /dev/zero --to csv -o -
endless() { (echo '{"a":'; yes) | (ulimit -v 200000; "$foray" policy export /dev/stdin --to csv -o -); }
expect 3 "memory" endless
expect 3 "/dev/zero:1: a byte that is 0" some 100 foray learn model.json /dev/zero -o never.foray
expect 3 "/dev/zero" small foray model check /dev/zero
expect 3 "/dev/zero" small foray plan run.foray -r /dev/zero --no-store
finish
