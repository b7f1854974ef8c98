#!/bin/bash
# States and actions by name: names that several have, names that look like numbers, and what a table
# makes of them.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# model NAMES: a coin that leads from state 0 to one of two others, which are called what you say.
model() {
    cat <<END
{"format":"foray-model","version":1,"name":"coin","states":3,"actions":2,"horizon":4,"dim":3,"norm_bound":2,
 "initial":[[0,1]],"features":[[0,0,1,[[0,0.5]]],[0,0,2,[[1,0.5]]],[0,1,0,[[2,1]]],[1,0,1,[[2,1]]],
 [1,1,1,[[2,1]]],[2,0,2,[[2,1]]],[2,1,2,[[2,1]]]],"theta":[0.5,1.5,1],
 "state_names":$1,"action_names":["toss","wait"]}
END
}

# ---- what two states are called means neither of them
model '["start","side","side"]' >two.json
expect 3 "reach:side: more than one state is called 'side': give a number" foray plan two.json -r reach:side
expect 0 "reach:2 +0.75" foray plan two.json -r reach:2 -o policy.json
echo '{"format":"foray-reward","version":1,"name":"r","default":0,"entries":[[null,"side",null,1]]}' >side.json
expect 3 'entries.0.: state "side": 1 and 2 both have this name' foray plan two.json -r side.json
printf 'episode,step,state,action,next\n0,0,start,toss,side\n' >side.csv
expect 3 "side.csv:2: next: more than one state is called 'side'" foray learn two.json side.csv -o x.foray
printf 'step,state,action\n,start,toss\n,side,wait\n,2,wait\n' >policy.csv
expect 3 "policy.csv:3: state: more than one state is called 'side'" foray evaluate two.json policy.csv -r goal:1
expect 3 "line 1: more than one state has this name" foray act policy.json <<<side
expect 0 "^toss$" foray act policy.json <<<start

# ---- a name is that name, also where it looks like a number; digits alone are one
printf 'state,action,next,probability\n1.0,0,2.0,0.25\n1.0,0,3.0,0.75\n2.0,0,2.0,1\n3.0,0,3.0,1\n' >floats.csv
foray model import floats.csv --horizon 2 --initial 1.0 -o floats.json >/dev/null
expect 0 "reach:2.0 +0.25" foray plan floats.json -r reach:2.0
expect 0 "reach:2 +0.75" foray plan floats.json -r reach:2 -o floats.policy.json
printf 'episode,step,state,action,next\n0,0,1.0,0,2.0\n' >seen.csv
foray learn floats.json seen.csv -o floats.foray --quiet
holds "data are about the state of that name" test "$(foray data floats.foray | tail -n 1)" = 0,0,0,0,1
expect 0 "^0$" foray act floats.policy.json <<<3.0
printf 'episode,step,state,action,next\n0,0,0.0,1.0,0\n' >pandas.csv
expect 0 "" foray learn two.json pandas.csv -o pandas.foray

# ---- a table has names where they tell states apart, and otherwise numbers
table() {
    model "$1" >named.json
    foray model export named.json --force -o table.csv >/dev/null
    sed -n 3p table.csv
}
holds "names" test "$(table '["a b","c,d","e"]')" = "a b,toss,e,0.75"
holds "two are equal" test "$(table '["a","b","b"]')" = "0,toss,2,0.75"
holds "one is the number of another" test "$(table '["a","2",null]')" = "0,toss,2,0.75"
holds "all are numbers, of others" test "$(table '["1","2","0"]')" = "0,toss,2,0.75"
holds "some look like numbers, and none is that of another" test "$(table '["a","70","80"]')" = "a,toss,80,0.75"
holds "one is empty" test "$(table '["a","b",""]')" = "0,toss,2,0.75"
holds "its own number" test "$(table '["a",null,"2"]')" = "a,toss,2,0.75"
# ---- a spreadsheet takes some names for formulas and does what they say, in quotes or not
for name in '=1+1' '+a' '-b' '@sum' '=cmd|x' '\ta'; do
    holds "$name is not written" test "$(table "[\"a\",\"b\",\"$name\"]")" = "0,toss,2,0.75"
done
# ---- nor are names written of which not all can be seen
for name in 'c\u009b31m' 'c\u202egnp' 'c\u001b[2J' '\u200b' 'a\u3164' 'a\u034f' 'a\ufe0f' 'a\uffa0'; do
    holds "$name is not written" test "$(table "[\"a\",\"b\",\"$name\"]")" = "0,toss,2,0.75"
done
holds "numbers are not formulas" test "$(table '["a","b","-2.5"]')" = "a,toss,-2.5,0.75"
table '["a",null,"2"]' >/dev/null
foray model import table.csv --horizon 4 --initial a -o again.json >/dev/null
holds "and comes back as it was" test "$(foray model check again.json | sed -n 's/^states *//p')" = 3

# ---- what is hidden in names is escaped in files that people read, and reads back as it was
hidden='a\u009b2Jb\u202ec\u007fd\ufeffe\udb40\udc01f'
unseen() {
    ! LC_ALL=C grep -qP '[\x7f]|\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xef\xbb\xbf|\xf3\xa0' "$@"
}
model "[\"$hidden\",\"b\",\"c\"]" | sed "s/\"coin\"/\"coin${hidden//\\/\\\\}\"/" >hidden.json
foray model convert hidden.json hidden.compact
foray model convert hidden.compact shown.json
holds "a model's file shows them" unseen shown.json
holds "as JSON does" grep -qiF "$hidden" shown.json
foray model convert shown.json again.compact
holds "and reads back" cmp hidden.compact again.compact
sed "s/\"r\"/\"r${hidden//\\/\\\\}*\/\"/" side.json | sed 's/"side"/1/' >hidden_reward.json
mv hidden.json $'hid\u202eden.json'
foray plan $'hid\u202eden.json' -r hidden_reward.json -o hidden_policy.json --json >hidden_plan.json
foray policy export hidden_policy.json -o hidden.c
for file in hidden_policy.json hidden_plan.json hidden.c; do
    holds "$file shows them" unseen "$file"
done
holds "C in a comment" grep -qi 'reward: .*"ra.u009b2Jb.u202ec.u007fd.ufeffe.udb40.udc01f  "' hidden.c
holds "which does not end there" grep -qx ' [*] world: hid.u202eden.json' hidden.c
holds "and compiles" cc -std=c99 -c hidden.c -o hidden.o

# ---- policies as programs for tables write them, and through a pipe
printf '\xef\xbb\xbfstep,state,action\r\n,start,toss\r\n,1,wait\r\n,2,wait\r\n' >marked.csv
expect 0 "goal:1 +0.75 " foray evaluate two.json marked.csv -r goal:1
mkfifo pipe
cat policy.json >pipe &
expect 0 "reach:2 +0.75 " foray evaluate two.json pipe -r reach:2
expect 0 "reach:2 +0.75 " foray evaluate two.json - -r reach:2 <policy.json

# ---- commands to copy name files so that a shell finds them
foray explore two.json -k 2 -o "it's a run.foray" | sed -n 's/^next *//p' >next
expect 0 "goal:1" bash next
foray explore two.json -k 2 -o -run.foray | sed -n 's/^next *//p' >next
expect 0 "goal:1" bash next
foray learn two.json pandas.csv -o "a \$run.foray" | sed -n 's/^next *//p' >next
expect 0 "goal:1" bash next
finish
