#!/bin/bash
# Bad input of every kind ends in the documented exit code, with a message that
# names the file, the line or key, and the cause.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# A small model that is right, and copies of it that are wrong in one place each.
cat >good.json <<'END'
{"format":"foray-model","version":1,"name":"tiny","states":2,"actions":1,"horizon":3,"dim":2,
"norm_bound":2,
"initial":[[0,1]],
"features":[[0,0,0,[[0,0.5]]],[0,0,1,[[1,0.5]]],[1,0,1,[[0,0.5],[1,0.5]]]],
"theta":[1.5,0.5]}
END
expect 0 "valid +yes" foray model check good.json
expect 0 . foray explore good.json -k 50 -o good.foray

# bad_model CODE PATTERN SED: model check ends so; explore never ends well.
bad_model() {
    sed -E "$3" good.json >bad.json
    holds "'$3' changes the model" test -n "$(cmp good.json bad.json)"
    expect "$1" "bad\.json.*($2)" foray model check bad.json
    expect 3 "bad\.json.*($2)" foray explore bad.json -k 10 -o bad.foray
    holds "no run file after '$3'" test ! -e bad.foray
}
bad_model 3 '2:.*NaN' 's/"norm_bound":2/"norm_bound":NaN/'
bad_model 3 '2:.*Infinity' 's/"norm_bound":2/"norm_bound":Infinity/'
bad_model 3 'norm_bound: -1' 's/"norm_bound":2/"norm_bound":-1/'
bad_model 3 '2:.*1e999' 's/"norm_bound":2/"norm_bound":1e999/'
bad_model 3 '4:.*1e999' 's/0\.5\]\]\],\[0/1e999]]],[0/'
bad_model 1 'state 0, action 0.*-0.25' 's/\[1.5,0.5\]/[2.5,-0.5]/'
bad_model 1 'state 0, action 0.*sum' 's/\[1.5,0.5\]/[1.0,0.5]/'
bad_model 1 'theta.*norm 1.58.*1.5' 's/"norm_bound":2/"norm_bound":1.5/'
bad_model 1 'state 0, action 0.*norm.*7.07' 's/0\.5\]/5]/g;s/"theta.*/"theta":[0.15,0.05]}/'
bad_model 3 'initial.*0\.5' 's/"initial":\[\[0,1\]\]/"initial":[[0,0.5]]/'
bad_model 3 'initial.*(-0\.5|1\.5)' 's/"initial":\[\[0,1\]\]/"initial":[[0,1.5],[1,-0.5]]/'
bad_model 3 'initial.*state 2' 's/"initial":\[\[0,1\]\]/"initial":[[2,1]]/'
bad_model 3 'initial.*twice' 's/"initial":\[\[0,1\]\]/"initial":[[0,0.5],[0,0.5]]/'
bad_model 3 'initial' 's/"initial":\[\[0,1\]\]/"initial":[]/'
bad_model 3 'features\[2\].*state 2' 's/\[1,0,1,\[/[1,0,2,[/'
bad_model 3 'features\[2\].*action 1' 's/\[1,0,1,\[/[1,1,1,[/'
bad_model 3 'features\[2\].*state -1' 's/\[1,0,1,\[/[-1,0,1,[/'
bad_model 3 'features\[2\].*coordinate 2' 's/\[1,0,1,\[\[0,/[1,0,1,[[2,/'
bad_model 3 'features\[2\].*integer' 's/\[1,0,1,\[\[0,/[1,0,1,[[0.5,/'
bad_model 3 'state 0, action 0.*twice' 's/\[0,0,1,\[/[0,0,0,[/'
bad_model 3 'state 1, action 0.*twice' 's/\[\[0,0.5\],\[1,0.5\]\]/[[1,0.5],[1,0.5]]/'
bad_model 3 'state 1, action 0' 's/,\[1,0,1,.*$/],/'
bad_model 3 'states: 0' 's/"states":2/"states":0/'
bad_model 3 'actions: 0' 's/"actions":1/"actions":0/'
bad_model 3 'horizon: 0' 's/"horizon":3/"horizon":0/'
bad_model 3 'horizon: -3' 's/"horizon":3/"horizon":-3/'
bad_model 3 'dim: 0' 's/"dim":2/"dim":0/'
bad_model 3 'theta.*3' 's/"dim":2/"dim":3/'
bad_model 3 'states' 's/"states":2/"states":4000000000000000000/;s/"actions":1/"actions":4000000000000000000/'
bad_model 3 '1:.*big' 's/"states":2/"states":99999999999999999999999/'
bad_model 3 'states|actions|pairs' 's/"states":2/"states":2147483646/;s/"actions":1/"actions":2147483646/'
bad_model 3 'colour' 's/"dim":2/"dim":2,"colour":"red"/'
bad_model 3 'states: ' 's/"states":2,//'
bad_model 3 'this is a reward, but a model is expected' 's/foray-model/foray-reward/'
bad_model 3 'version 3, but this Foray reads version 1' 's/"version":1/"version":3/'
bad_model 3 'theta' 's/\[1.5,0.5\]/[1.5]/'
bad_model 3 'theta.*number' 's/\[1.5,0.5\]/[1.5,"x"]/'
bad_model 3 '4:' 's/\[1,0,1,/[1,0,1/'
bad_model 3 'states' 's/"states":2/"states":"2"/'
bad_model 3 '1:.*duplicate.*dim' 's/"dim":2/"dim":2,"dim":2/'
bad_model 3 'layout.cell\[0\]' \
    's/"dim":2/"dim":2,"layout":{"kind":"grid","rows":1,"cols":1,"cell":[[0,0,5]]}/'
bad_model 3 'state_names' 's/"dim":2/"dim":2,"state_names":["only one"]/'

# Truncated anywhere: never a crash, never accepted.
for bytes in 0 1 20 100 200 $(($(wc -c <good.json) - 3)); do
    head -c "$bytes" good.json >cut.json
    expect 3 'cut.json' foray model check cut.json
done
foray world export grid -o grid.compact
for bytes in 8 100 $(($(wc -c <grid.compact) - 1)); do
    head -c "$bytes" grid.compact >cut.compact
    expect 3 'cut.compact' foray model check cut.compact
done
{ head -c 200 grid.compact; head -c 40 /dev/urandom; tail -c +241 grid.compact; } >flip.compact
expect 3 'flip.compact' foray model check flip.compact

# A model without theta is a model, but no world.
sed 's/\]\]\]\],/]]]]}/;/theta/d' good.json >unknown.json
expect 0 "theta known +no" foray model check unknown.json
expect 3 "no theta.*not a world" foray explore unknown.json -k 10 -o bad.foray

# Not files at all, and far too much of one.
mkdir directory
expect 3 "directory" foray model check ./directory
expect 3 "directory" foray plan good.foray -r directory
expect 3 "nowhere.json.*[Nn]o such file" foray model check nowhere.json
expect 3 "nowhere.json.*[Nn]o such file" foray plan good.foray -r nowhere.json
expect 3 "nowhere.foray" foray plan nowhere.foray -r goal:0
expect 3 "no such file, and no built-in world.*did you mean rooms" foray explore roms -o bad.foray
if [ "$(id -u)" -ne 0 ]; then
    cp good.json secret.json && chmod 000 secret.json
    expect 3 "secret.json.*[Pp]ermission" foray model check secret.json
fi
head -c 4096 /dev/urandom >garbage && truncate -s 1G garbage
yes '[[[[' | head -c 1000000 | tr -d '\n' >deep.json
expect 3 "garbage" timeout 60 foray model check ./garbage
expect 3 "garbage" timeout 60 foray plan good.foray -r garbage
expect 3 "garbage" timeout 60 foray evaluate good.json garbage -r goal:0
expect 5 "garbage" timeout 60 foray info garbage
expect 3 "deep.json" timeout 60 foray model check deep.json
expect 3 "zero" timeout 60 foray model check /dev/zero

# Rewards.
bad_reward() {
    echo "{\"format\":\"foray-reward\",\"version\":1,\"name\":\"r\",$2}" >r.json
    expect 3 "r.json.*($1)" foray plan good.foray -r r.json
}
bad_reward '1\.5' '"default":0,"entries":[[null,null,null,1.5]]'
bad_reward 'default' '"default":2,"entries":[]'
bad_reward 'default' '"default":-0.1,"entries":[]'
bad_reward '.' '"default":NaN,"entries":[]'
bad_reward 'state' '"default":0,"entries":[[0,2,0,1]]'
bad_reward 'action' '"default":0,"entries":[[0,0,7,1]]'
bad_reward 'step' '"default":0,"entries":[[3,0,0,1]]'
bad_reward 'entries' '"default":0,"entries":[[0,0,1]]'
bad_reward 'entries' '"default":0'
bad_reward 'colour' '"default":0,"entries":[],"colour":1'
expect 3 "goal:7: no such state" foray plan good.foray -r goal:7
expect 3 "goal:-1: no such state" foray plan good.foray -r goal:-1
expect 3 "goal:: a state is missing" foray plan good.foray -r goal:

# Policies.
foray plan good.foray -r goal:1 -o policy.json >/dev/null
expect 0 "gap" foray evaluate good.json policy.json -r goal:1
bad_policy() {
    sed -E "$2" policy.json >p.json
    holds "'$2' changes the policy" test -n "$(cmp policy.json p.json)"
    expect 3 "$1" foray evaluate good.json p.json -r goal:1
}
bad_policy 'p.json.*action' 's/"action": *\[\[[0-9]+/"action":[[7/'
bad_policy 'p.json.*mode' 's/"mode":"plugin"/"mode":"hopeful"/'
bad_policy 'p.json.*states' 's/"states": *2/"states":0/'
expect 3 "policy.json is a policy for 2 states" foray evaluate grid policy.json -r goal:1
expect 3 "no theta" foray evaluate unknown.json policy.json -r goal:1

# Worlds.
expect 2 "rows" foray world export rooms:rows=0 -o w.json
expect 2 "colour" foray world export rooms:colour=3 -o w.json
expect 2 "rows" foray world export rooms:rows=many -o w.json
expect 2 "rows" foray world export rooms:rows=nan -o w.json
expect 2 "rows" foray world export rooms:rows=2.5 -o w.json
expect 2 "rooms" foray world export rooms: -o w.json

# Runs.
: >empty.foray
echo "not a run" >text.foray
{ printf "\377\377" && head -c 65534 /dev/urandom; } >noise.foray # a blank first would be JSON, \377\376 UTF-16
size=$(wc -c <good.foray)
head -c $((size / 2)) good.foray >cut.foray
for run in empty text noise cut; do
    for command in info verify bound "plan -r goal:0" "explore --resume -o"; do
        read -ra words <<<"$command"
        expect 5 "$run.foray" foray "${words[@]}" $run.foray
    done
done
expect 3 "directory" foray verify directory
expect 3 "another model.*chain" foray explore chain --resume -o good.foray
sed 's/\[1.5,0.5\]/[1.25,0.75]/' good.json >similar.json
expect 3 "another model" foray explore similar.json --resume -o good.foray
foray model convert good.json good.compact
expect 0 . foray explore good.compact --resume -o good.foray
expect 0 "verified +yes" foray verify good.foray

# Control characters in names and keys are shown, never sent to the terminal.
sed 's/"tiny"/"\\u001b[2Jtiny\\u009b1m"/' good.json >loud.json
cat >loud_reward.json <<'END'
{"format":"foray-reward","version":1,"name":"goal\u001b]0;x\u0007\n","entries":[[null,1,null,1]]}
END
sed 's/"default"\|"entries"/"\\u001b[1m"/' loud_reward.json >loud_key.json
loud() {
    expect "$1" "$2" "${@:3}"
    holds "no control characters from ${*:3}" \
        awk '/[\001-\010\013-\037\177]/ || /\302[\200-\237]/ { exit 1 }' "$work/out" "$work/err"
}
loud 0 'name +.x1b\[2Jtiny.u009b1m' foray model check loud.json
loud 0 'goal.x1b]0;x.x07.n +[0-9]' foray plan good.foray -r loud_reward.json --force -o policy.json
loud 0 'goal.x1b]0;x.x07.n +[0-9]' foray evaluate good.json policy.json -r loud_reward.json
loud 0 'goal.x1b]0;x.x07.n +.*plugin' foray info good.foray
loud 3 'x1b\[1m' foray plan good.foray -r loud_key.json

# Nor is what turns or hides the text around it: U+202E writes from right to left.
sed 's/"tiny"/"a\\u202eb\\u2067c\\u200bd\\ufeffe\\u2028f\\udb40\\udc01g"/' good.json >turned.json
expect 0 'name +a.u202eb.u2067c.u200bd.ufeffe.u2028f.ue0001g$' foray model check turned.json

# Names have at most 255 bytes.
long=$(printf 'n%.0s' {1..255})
sed "s/\"tiny\"/\"$long\"/" good.json >long.json
expect 0 "" foray model check long.json
sed "s/\"tiny\"/\"${long}n\"/" good.json >longer.json
expect 3 'longer.json: name: "n{40}\.\.\.": a name has at most 255 bytes' foray model check longer.json
echo "{\"format\":\"foray-reward\",\"version\":1,\"name\":\"${long}n\",\"entries\":[]}" >long_name.json
expect 3 'long_name.json: name: .*at most 255 bytes' foray plan good.foray -r long_name.json

# Numbers are decimal, with nothing around them.
for number in 0x10 ' 5' '5 ' 0b1 1e 1_ _1 ++1 inf nan ''; do
    expect 2 "episodes" foray explore chain -k "$number" -o number.foray
    expect 2 "delta" foray explore chain -k 5 --delta "$number" -o number.foray
done
finish
