#!/bin/bash
# What is nearly right: names that are almost those of something, files that are something else.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim -k 1e2 -o r.foray >r.out
holds "1e2 episodes" grep -q "for 100 episodes" r.out
expect 0 "for 2,000 episodes" foray explore riverswim -k 2_000 -o thousand.foray
foray world export riverswim -o m.json >/dev/null
foray world export riverswim -o m.compact >/dev/null
foray plan r.foray -r goal:5 -o p.json >/dev/null
foray report r.foray -o page.html >/dev/null
printf '{"format":"foray-reward","version":1,"name":"r","default":0,"entries":[]}' >w.json

# ---- names
expect 2 "there is no algorithm 'ucrl-rf'; did you mean 'ucrl-rfe'" foray explore riverswim -a ucrl-rf -o x.foray
expect 2 "there is no algorithm 'magic'; the algorithms are" foray explore riverswim -a magic -o x.foray
expect 3 "did you mean riverswim" foray explore rivrswim -o x.foray
expect 2 "unknown option --episods; did you mean --episodes" foray explore riverswim --episods 3 -o x.foray
expect 3 "gaol:5: no such file; did you mean goal:5" foray plan r.foray -r gaol:5
expect 3 "did you mean reach:5" foray plan r.foray -r reahc:5
expect 3 "money: no such file; without one a reward is goal:STATE" foray plan r.foray -r money
expect 3 "no such state: palce 3 .did you mean place 3" foray plan r.foray -r "goal:palce 3"
expect 0 "" foray plan r.foray -r "goal:place 3"

expect 3 "goal: no such file; as a reward it needs a state: goal:STATE" foray plan r.foray -r goal
expect 2 "there is no command 'explor'; did you mean 'explore'" foray help explor
expect 2 "there is no command 'world exprot'; did you mean 'world export'" foray help world exprot
expect 2 "there is no command 'zzz'; 'foray help' lists them" foray help zzz

expect 3 "goal:: a state is missing; the model has states 0 to 5" foray plan r.foray -r goal:
expect 2 "there is no algorithm 'nosuch'; the algorithms are " foray compare riverswim -a nosuch -o x

# ---- directories where files are expected
mkdir directory
for command in info verify data bound; do
    expect 3 "directory: this is a directory, but a run is expected" foray $command directory
done
expect 3 "directory: this is a directory, but a run is expected" foray plan directory -r goal:1
expect 3 "directory: this is a directory, but a reward is expected" foray plan r.foray -r directory
expect 3 "directory: this is a directory, but a CSV file is expected" foray learn m.json directory -o x.foray
expect 3 "directory: this is a directory, but a policy is expected" foray act directory
expect 3 "directory: cannot read: Is a directory" foray model import directory --horizon 3 -o x.json
expect 3 "/dev/full: not replaced, since it is not an ordinary file" foray explore riverswim -k 9 -o /dev/full

# ---- a reward from standard input
foray plan r.foray -r w.json --no-store --json >file.out
holds "a reward through a pipe" cmp file.out <(foray plan r.foray -r - --no-store --json <w.json)
expect 3 "standard input:1:1: the text ends too early" foray plan r.foray -r - </dev/null

# ---- marks of UTF-8 are passed over, UTF-16 is refused by name
marked() { printf '\xEF\xBB\xBF' | cat - "$1" >"marked-$1"; }
wide() { { printf '\xFF\xFE' && sed 's/./&\x00/g' "$1"; } >"wide-$1"; }
foray data r.foray -o data.csv
foray policy export p.json -o p.csv
printf 'state,action,next,probability\n0,0,1,1\n1,0,1,1\n' >t.csv
printf '2 2 2\n0 0 1 1\n1 0 0 1\n' >t.tra
for file in m.json w.json p.json data.csv p.csv t.csv t.tra; do
    marked $file
    wide $file
done
expect 0 "valid +yes" foray model check marked-m.json
expect 3 "wide-m.json: this is text in UTF-16" foray model check wide-m.json
expect 0 . foray plan marked-m.json -r goal:5
expect 3 "wide-m.json: this is text in UTF-16" foray plan wide-m.json -r goal:5
expect 0 . foray plan r.foray --no-store -r marked-w.json
expect 3 "wide-w.json: this is text in UTF-16" foray plan r.foray -r wide-w.json
for policy in p.json p.csv; do
    expect 0 . foray certify r.foray marked-$policy -r goal:5
    expect 3 "wide-$policy: this is text in UTF-16" foray certify r.foray wide-$policy -r goal:5
done
expect 0 "" foray act marked-p.json </dev/null
expect 3 "marked-p.json: this is a policy, but a reward" foray plan r.foray -r marked-p.json
expect 0 . foray learn m.json marked-data.csv -o marked.foray
expect 3 "wide-data.csv: this is text in UTF-16" foray learn m.json wide-data.csv -o wide.foray
for table in t.csv t.tra; do
    expect 0 . foray model import marked-$table --initial 0 --horizon 3 -o marked-$table.json
    expect 3 "wide-$table: this is text in UTF-16" foray model import wide-$table --horizon 3 -o wide.json
done
sed 's/"name"/oops/' marked-m.json >marked-bad.json
expect 3 "marked-bad.json:[0-9]+:[0-9]+: .*near oops" foray model check marked-bad.json

# ---- tables are not models yet
for command in "explore t.csv -o x.foray" "plan t.csv -r goal:0" "model check t.tra" "play t.csv -o x.html"; do
    # shellcheck disable=SC2086
    expect 3 "t....: not a model yet: of a table of transitions 'foray model import t.... --horizon N -o MODEL'" foray $command
done

# ---- files that are something else, said before they are parsed
expect 3 "p.json: this is a policy, but a reward is expected" foray plan r.foray -r p.json
expect 3 "p.json: this is a policy, but a model is expected" foray plan p.json -r goal:5
expect 3 "w.json: this is a reward, but a model is expected" foray explore w.json -o x.foray
expect 3 "r.foray: this is a run, but a model is expected" foray model check r.foray
expect 3 "m.json: this is a model, but a run is expected" foray bound m.json
expect 3 "m.compact: this is a model, but a run is expected" foray info m.compact
expect 3 "page.html: this is a page, but a run is expected" foray verify page.html
expect 3 "m.json: this is a model, but a policy is expected" foray evaluate m.json m.json -r goal:1
expect 3 "r.foray: this is a run, but a policy is expected" foray certify r.foray r.foray -r goal:1
expect 3 "m.json: this is a model, but a CSV file is expected" foray learn m.json m.json -o x.foray
expect 3 "p.json: this is a policy, but a CSV file is expected" foray model import p.json --horizon 2 -o x.json
echo "hello" >text
expect 5 "not a Foray run" foray bound text
expect 3 "" foray model check text

# ---- files whose names promise what is not written
for file in plan.csv plan.c; do
    expect 2 "a policy is written as JSON, and 'foray policy export' makes CSV or C" foray plan r.foray -r goal:1 -o $file
    holds "there is no $file" test ! -e $file
done

# ---- one file to write, and silence
expect 2 "output is given twice: a.foray and b.foray" foray explore riverswim -k 10 -o a.foray -o b.foray
holds "neither is there" test ! -e a.foray -a ! -e b.foray
foray explore riverswim -k 10 --quiet -o quiet.foray >quiet.out 2>&1
holds "--quiet says nothing" test ! -s quiet.out
holds "and does it all the same" test -s quiet.foray
expect 1 "" foray explore riverswim -k 10 --until 1e-9 --quiet -o missed.foray
expect 2 "exists" foray explore riverswim --quiet -o quiet.foray

# ---- names of states and actions in a policy as CSV, quoted where they have commas
foray explore frozenlake -k 100 -o lake.foray --quiet
{
    echo step,state,action
    awk 'BEGIN { for (s = 1; s < 15; s++) printf ",%d,1\n", s }'
    echo ',"start (0,0)",down'
    echo ' , "goal (3,3)" , 2 '
} >named.csv
sed -e 's/"start (0,0)"/0/' -e 's/"goal (3,3)"/15/' -e 's/down/1/' named.csv >numbered.csv
foray certify lake.foray named.csv -r reach:15 --json | grep -v '"policy": "' >named.out
foray certify lake.foray numbered.csv -r reach:15 --json | grep -v '"policy": "' >numbered.out
holds "names are as good as numbers" cmp named.out numbered.out
sed 's/down/dwon/' named.csv >wrong.csv
expect 3 "wrong.csv:16: .*the model has 0 to 3 and their names" foray certify lake.foray wrong.csv -r reach:15
finish
