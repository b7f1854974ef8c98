#!/bin/bash
# Nothing that exists is overwritten without --force, and what a command reads not even then,
# under whatever name; "-o -" is standard output, with nothing else on it.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 100 -o run.foray >/dev/null
foray world export riverswim -o model.json
foray explore trapdoor -k 50 -o trap.foray >/dev/null
cat >reward.json <<'JSON'
{"format":"foray-reward","version":1,"name":"late","default":0,"entries":[[5,3,null,1]]}
JSON
cp "$FORAY_BUILD/examples/outside/thermostat.so" plug.so
covered=()

# writes NAME OUTPUT INPUT WORDS...: in WORDS, OUT stands for the file to write, INPUT is a file
# that the command reads.
writes() {
    local name=$1 output=$2 input=$3 word
    shift 3
    covered+=("$name")
    # line FILE: the command that writes there.
    line() {
        local file=$1
        shift
        words=()
        for word in "$@"; do words+=("${word//OUT/$file}"); done
    }
    attempt() { # CODE PATTERN FILE WORDS...
        local code=$1 pattern=$2 file=$3
        shift 3
        line "$file" "$@"
        expect "$code" "$pattern" foray "${words[@]}"
    }
    attempt 0 "" "$output" "$@"
    holds "$name writes $output" test -s "$output"

    # What is there stays: a file, one behind a link, a link to nowhere.
    echo precious >kept
    cp kept "there-$output"
    ln -s kept "link-$output"
    ln -s nowhere "dangling-$output"
    for there in there link dangling; do
        attempt 2 "$there-$output already exists" "$there-$output" "$@"
    done
    mkdir "directory-$output"
    if [ "$name" != plan ]; then # which writes into it
        attempt 2 "directory-$output already exists" "directory-$output" "$@"
    fi
    holds "$name leaves a file alone" cmp kept "there-$output"
    holds "$name leaves what a link points to alone" test "$(cat kept)" = precious
    holds "$name leaves links alone" test -L "link-$output" -a -L "dangling-$output"
    holds "$name does not follow a link to nowhere" test ! -e nowhere
    attempt 0 "" "there-$output" "$@" --force
    holds "$name --force replaces" test "$(head -c 8 "there-$output")" != precious
    attempt 0 "" "link-$output" "$@" --force
    holds "$name --force writes where the link points" \
        test -L "link-$output" -a "$(head -c 8 kept)" != precious

    # What the command reads stays whatever is said, under each of its names.
    cp "$input" before
    ln "$input" "hard-$output"
    ln -s "$input" "soft-$output"
    for itself in "$input" "./$input" "$PWD/$input" "hard-$output" "soft-$output"; do
        attempt 2 "already exists|is read by this command" "$itself" "$@"
        attempt 2 "is read by this command" "$itself" "$@" --force
        holds "$name keeps $input from being overwritten as $itself" cmp "$input" before
    done
    rm -rf before kept "$output" ./*-"$output"
}

# streams NAME WORDS...: "-o -" prints what -o FILE writes, and nothing else.
streams() {
    local name=$1 word file
    shift
    for file in streamed -; do
        words=()
        for word in "$@"; do words+=("${word//OUT/$file}"); done
        foray "${words[@]}" >printed 2>complaints
        holds "$name with $file ends well" test $? -eq 0
    done
    holds "$name prints what it would write" cmp streamed printed
    holds "$name prints nothing else" test ! -s complaints
    rm -f streamed printed complaints
}

settled() { # what must not be: standard output for what cannot be printed there
    expect 2 "$@"
    holds "nothing on standard output: ${*:2}" test ! -s "$work/out"
    holds "no file called -" test ! -e -
}

writes explore new.foray model.json explore model.json -k 50 -o OUT
writes explore new.foray reward.json explore model.json -a ucrl-vtr -k 50 -r reward.json -o OUT
writes plan policy.json run.foray plan run.foray -r goal:0 --no-store -o OUT
writes plan policy.json reward.json plan run.foray -r reward.json --no-store -o OUT
writes next policy.json run.foray next run.foray -r goal:5 --no-store -o OUT
echo '{"format":"foray-reward","version":1,"name":"far","default":0,"entries":[[null,5,null,1]]}' >far.json
writes next policy.json far.json next run.foray -r far.json --no-store -o OUT
writes report page.html run.foray report run.foray -o OUT
if foray play run.foray -o played.html >/dev/null 2>&1; then
    writes play page.html run.foray play run.foray -o OUT
    streams_play=1
else
    covered+=(play) # not built: there is no compiler of WebAssembly, or it is not wanted here
fi
writes "world export" new.json model.json world export model.json --to json -o OUT
writes "world export" plug.compact plug.so world export plugin:./plug.so@grid:3x3 --draws 10 --to compact -o OUT
writes "model convert" new.compact model.json model convert model.json OUT --to compact
printf '0,0,0,0.5\n0,0,1,0.5\n1,0,1,1\n' >table.csv
writes "model import" new.json table.csv model import table.csv --horizon 3 --initial 0 --to json -o OUT
writes "model export" new.umb model.json model export model.json --to umb -o OUT
writes "model export" new.csv run.foray model export run.foray --to csv -o OUT
cat >always.json <<'JSON'
{"format":"foray-reward","version":1,"name":"there","default":0,"entries":[[null,3,null,1]]}
JSON
writes "model export" new.umb always.json model export run.foray -r always.json --to umb -o OUT
printf '0,0,0,0.5,1\n0,0,1,0.5,0\n1,0,1,1,0\n' >earning.csv
echo precious >earning.own.reward.json
expect 2 "earning.own.reward.json already exists" \
    foray model import earning.csv --horizon 3 --initial 0 -o earning.json
holds "the reward that was there is kept, and no model is written without its own" \
    test "$(cat earning.own.reward.json)" = precious -a ! -e earning.json
foray data run.foray -o run.csv
writes data new.csv run.foray data run.foray -o OUT
writes data new.csv reward.json data run.foray -r reward.json -o OUT
writes learn new.foray run.csv learn model.json run.csv -o OUT
writes learn new.foray model.json learn model.json run.csv -o OUT
foray plan run.foray -r goal:0 --no-store -o plan.json >/dev/null
writes "policy export" new.c plan.json policy export plan.json --to c -o OUT
writes "policy export" new.csv plan.json policy export plan.json --to csv -o OUT
streams data data run.foray -o OUT
streams "policy export" policy export plan.json --to csv -o OUT
streams plan plan run.foray -r goal:0 --no-store -o OUT
streams next next run.foray -r goal:5 --no-store -o OUT
streams report report run.foray -o OUT
[ -z "${streams_play:-}" ] || streams play play run.foray -o OUT
streams "world export" world export chain --to json -o OUT
streams "model export" model export run.foray --to umb -o OUT
streams "model convert" model convert model.json OUT --to compact

settled "standard output" foray explore chain -k 10 -o -
settled "standard output" foray model import table.csv --horizon 3 --initial 0 -o -
settled "standard output" foray learn model.json run.csv -o -
settled "standard output" foray compare chain -a random -k 10 -o -
settled "standard output" foray lab coverage --quick -o -
settled "--json" foray plan run.foray -r goal:0 -o - --json
settled "--json" foray report run.foray -o - --json
settled "need a directory" foray plan run.foray -r goal:0 -r goal:1 -o -
settled "--map" foray plan run.foray -r goal:0 -o - --map

# A redirected standard output is standard output under any name.
for name in - /dev/stdout page.html; do
    foray report run.foray -o "$name" >page.html
    holds "-o $name >page.html prints the page alone" \
        bash -c 'head -c 15 page.html | grep -q "<!DOCTYPE html>" && tail -c 8 page.html | grep -q "</html>"'
done
holds "/dev/stdout is still a link" test -L /dev/stdout

# A directory of policies: one that is there is not touched, nor is any other written.
mkdir many
echo precious >many/goal-1.json
expect 2 "many/goal-1.json already exists" foray plan run.foray -r goal:0 -r goal:1 -o many/
holds "no policy of several is written before all can be" test "$(ls many)" = goal-1.json
holds "it is as it was" test "$(cat many/goal-1.json)" = precious
expect 0 "written: many/goal-1.json" foray plan run.foray -r goal:0 -r goal:1 -o many/ --force
cp reward.json many/late.json
expect 2 "is read by this command" foray plan run.foray -r many/late.json -o many/ --force
holds "a reward in the directory is kept" cmp reward.json many/late.json
covered+=(plan)

# The files of a front: none that is there is overwritten.
mkdir front
echo precious >front/front.json
expect 2 "front/front.json already exists" foray tradeoff run.foray -r goal:0 -r goal:1 -o front
holds "nothing else was written" test "$(ls front)" = front.json
holds "it is as it was" test "$(cat front/front.json)" = precious
expect 0 "written: front" foray tradeoff run.foray -r goal:0 -r goal:1 -o front --force
covered+=(tradeoff)

# Figures of a report, in four files beside the page: none of those there is overwritten.
for ending in svg csv pdf png; do
    rm -f fresh.html fresh-theta.*
    echo precious >"fresh-theta.$ending"
    expect 2 "fresh-theta.$ending already exists" foray report run.foray -o fresh.html --figure theta
    holds "no page and no figure over fresh-theta.$ending" test ! -e fresh.html -a "$(cat "fresh-theta.$ending")" = precious
done
expect 0 "fresh-theta.svg" foray report run.foray -o fresh.html --figure theta --force

# Directories of compare and the lab: the same work goes on, other work and other files are safe.
expect 0 "" foray compare chain -a random -k 20 --seeds 2 -o both
expect 0 "" foray compare chain -a random -k 20 --seeds 2 -o both
expect 2 "use another directory" foray compare chain -a random -k 30 --seeds 2 -o both
expect 2 "is not empty" foray compare chain -a random -k 20 --seeds 2 -o many
expect 2 "is not empty" foray lab ablation --quick --worlds riverswim --episodes 8 --seeds 1 -o many
expect 2 "not a directory" foray compare model.json -a random -k 20 --seeds 2 -o model.json
covered+=(compare "lab all" "lab coverage" "lab complexity" "lab lowerbound" "lab theorem" "lab ablation" "lab sharpness"
    "lab explorers")

# No command that writes is forgotten here.
while read -r command; do
    read -ra words <<<"$command"
    if foray "${words[@]}" --help | grep -qE '^ +(-o, )?--output|^usage:.* TO( |$)'; then
        holds "this test knows what $command writes" \
            bash -c 'printf "%s\n" "${@:2}" | grep -qxF "$1"' _ "$command" "${covered[@]}"
    fi
done < <(commands)
finish
