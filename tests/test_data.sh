#!/bin/bash
# Data from elsewhere: what foray data writes, foray learn reads; the certificates are the same to the
# last bit, whoever explored; bad data are refused by line, column and cause, before anything is
# written.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# ---- the same certificates from the same episodes, for every algorithm
IFS=", " read -ra algorithms <<<"$(foray explore chain -a none -o none 2>&1 | sed -n 's/.*the algorithms are //p')"
{
    echo step,state,action
    for state in 0 1 2 3 4 5; do echo ",$state,1"; done
} >right.csv
for name in "${algorithms[@]}"; do
    reward=()
    foray explore riverswim -a "$name" -k 300 -o run.foray --force >/dev/null 2>&1 || {
        reward=(-r goal:5)
        foray explore riverswim -a "$name" "${reward[@]}" -k 300 -o run.foray --force >/dev/null 2>&1
    } || continue # needs features that riverswim does not have
    expect 0 "" foray data run.foray -o run.csv --force
    expect 0 "the run has [0-9,]+ episodes, learnt with the model riverswim" foray learn riverswim run.csv -o learnt.foray --force
    for run in run learnt; do
        foray certify $run.foray right.csv -r goal:5 -r goal:0 --json | grep -v episodes >$run.certified
        foray verify $run.foray >/dev/null || fail "$name: $run.foray cannot be verified"
    done
    holds "$name: the certificates of the data are those of the run" cmp run.certified learnt.certified
    holds "$name: there is something to compare" grep -qE '"gap": ?[0-9]' learnt.certified
    expect 0 "first states +their law is taken on trust" foray info learnt.foray
    holds "$name: the data of the learnt run are its data" sh -c 'foray data learnt.foray | cmp - run.csv'
done
holds "most algorithms were compared" test "$checks" -gt 60

# ---- plans and bounds too, where both plan on the same sets
foray explore rooms:rows=2,cols=2 -k 800 -o rooms.foray >/dev/null
foray data rooms.foray -o rooms.csv
foray learn rooms:rows=2,cols=2 rooms.csv -o again.foray >/dev/null
for run in rooms again; do
    foray plan $run.foray -r goal:3 -r goal:0 -m plugin --radius likelihood --no-store >$run.plan
    foray bound $run.foray --json >$run.bound
done
holds "the plans are the same" cmp rooms.plan again.plan
holds "the bounds are the same" cmp rooms.bound again.bound

# ---- what works for explored runs works for learnt ones
expect 0 "" foray report again.foray -o page.html
holds "the report counts visits" grep -q "visit" page.html
expect 0 "algorithm +recorded" foray info again.foray
expect 0 "verified +yes" foray verify again.foray
expect 0 "true gap|truth" foray plan again.foray -r goal:3 --truth --no-store
expect 2 "learnt from recorded data, and cannot go on exploring" foray explore --resume -o again.foray
expect 2 "recorded explores nothing" foray explore chain -a recorded -o no.foray
holds "and leaves no file behind" test ! -e no.foray
expect 2 "recorded explores nothing" foray compare chain -a recorded -k 10 -o no

# ---- names, columns in any order, quotes, comments, rewards, short and long episodes
cat >doors.json <<'JSON'
{"format":"foray-model","version":1,"name":"doors","states":3,"actions":2,"horizon":3,"dim":3,
 "norm_bound":1.7320508075688772,"initial":[[0,1]],
 "features":[[0,0,0,[[0,1]]],[0,1,0,[[1,0.7071067811865475]]],[0,1,1,[[2,0.7071067811865475]]],
  [1,0,1,[[0,1]]],[1,1,1,[[0,1]]],[2,0,0,[[0,1]]],[2,1,2,[[0,1]]]],
 "theta":[1,0.28284271247461906,1.1313708498984762],
 "state_names":["out, side","in \"side\"","attic"],"action_names":["wait","push"]}
JSON
cat >names.csv <<'CSV'
# recorded by hand
next,action , state,step,episode,reward,done

"out, side",push,"out, side",0,monday,0.5,0
"in ""side""",push,"out, side",1,monday,,1
0,push,0,0,tuesday,1,false
0,wait,0,1,tuesday,1,false
0,wait,0,2,tuesday,1,false
1,1,0,3,tuesday,1,True
attic,push,attic,0,wednesday,0,
CSV
sed 's/$/\r/' names.csv >windows.csv
expect 0 "the run has 4 episodes, learnt with the model doors.json" foray learn doors.json names.csv -o names.foray
cat >expected.csv <<'CSV'
episode,step,state,action,next,reward
0,0,0,1,0,0
0,1,0,1,1,0
1,0,0,1,0,0
1,1,0,0,0,0
1,2,0,0,0,0
2,0,0,1,1,0
3,0,2,1,2,1
CSV
holds "a long episode is cut, short ones stay" sh -c 'foray data names.foray -r goal:2 -o - | cmp - expected.csv'
foray learn doors.json windows.csv -o windows.foray >/dev/null
holds "lines may end in CRLF" sh -c 'foray data windows.foray -r goal:2 | cmp - expected.csv'
expect 0 "verified +yes" foray verify names.foray
expect 0 "certified" foray certify names.foray <(printf 'step,state,action\n,0,1\n,1,0\n,2,1\n') -r goal:1

cat >enter.json <<'JSON'
{"format":"foray-reward","version":1,"name":"enter","range":[-1,2],"default":0,"entries":[[null,0,1,1,2],[null,0,0,-1]]}
JSON
holds "rewards for what follows, in their own unit" test \
    "$(foray data names.foray -r enter.json | cut -d, -f6 | tr '\n' ' ')" = "reward 0 2 0 -1 -1 2 0 "
expect 2 "reach:1 is a probability, and earns nothing in a step" foray data names.foray -r reach:1

# ---- more data for a learnt run
expect 0 "the run has 8 episodes" foray learn doors.json names.csv --append -o names.foray
expect 0 "verified +yes" foray verify names.foray
expect 3 "is a run of another model" foray learn rooms:rows=2,cols=2 rooms.csv --append -o names.foray
expect 2 "explored by ucrl-rfe: recorded episodes cannot be added" \
    foray learn rooms:rows=2,cols=2 rooms.csv --append -o rooms.foray
expect 2 "without --force" foray learn doors.json names.csv --append --force -o names.foray
expect 2 "without --delta" foray learn doors.json names.csv --append --delta 0.2 -o names.foray

# ---- do new data still fit? The law, the episode and the line, or that nothing is refuted
foray explore rooms:rows=2,cols=2 -k 300 --seed 2 -o same.foray >/dev/null
foray explore rooms:rows=2,cols=2,success=0.5 -k 300 --seed 3 -o other.foray >/dev/null
foray data same.foray -o same.csv
foray data other.foray -o other.csv
expect 0 "the data fit: no law is refuted" foray learn --check rooms.foray same.csv
expect 0 "the data fit" foray learn --check again.foray same.csv --delta 0.5
head -1 same.csv >none.csv
expect 3 "none.csv: no episodes" foray learn --check rooms.foray none.csv
printf '0,0,1,1\n1,0,0,1\n' >certain.csv
foray model import certain.csv --horizon 3 --initial 0 -o certain.json >/dev/null
foray explore certain.json -k 2 -o certain.foray --quiet
foray data certain.foray -o seen.csv
expect 0 "the data fit" foray learn --check certain.foray seen.csv
sed '2s/1$/0/' seen.csv >ruled.csv
expect 1 "ruled.csv:2: .*which the model rules out" foray learn --check certain.foray ruled.csv
expect 1 "refuted: the law of \(0,0\) \(0\), up \(0\) and [0-9]+ others: [0-9,]+ transitions in the run" \
    foray learn --check rooms.foray other.csv
expect 1 "first noticed after episode [0-9]+ \(other.csv:[0-9]+\)" foray learn --check rooms.foray other.csv
foray learn --check rooms.foray other.csv --json >drift.json
holds "refuted" test "$(json refuted drift.json)" = true
holds "by the first law" test "$(json laws.0.refuted drift.json)" = true
episode=$(json episode drift.json | tr -d '"') line=$(json line drift.json)
holds "the line is where the episode begins" \
    test "$(sed -n "${line}p" other.csv | cut -d, -f1,2)" = "$episode,0"
printf 'episode,step,state,action,next\n0,0,0,0,12\n' >impossible.csv
expect 1 "impossible.csv:2: next: .*which the model rules out" foray learn --check rooms.foray impossible.csv
expect 3 "missing.csv: cannot open" foray learn --check rooms.foray missing.csv
expect 2 "--check writes nothing" foray learn --check rooms.foray other.csv -o no.foray

# ---- what is refused: nothing is written, and a run that is there stays as it was
cp names.foray before.foray
bad() { # PATTERN LINES...
    printf '%s\n' "${@:2}" >bad.csv
    expect 3 "$1" foray learn doors.json bad.csv -o new.foray
    holds "no run from bad data" test ! -e new.foray
    expect 3 "$1" foray learn doors.json bad.csv --force -o names.foray
    expect 3 "$1" foray learn doors.json bad.csv --append -o names.foray
    holds "a run is not harmed by bad data" cmp names.foray before.foray
}
header=episode,step,state,action,next
bad "bad.csv: empty, but a line that names the columns" ""
bad "bad.csv: no episodes" $header
bad "bad.csv:1: the column 'next' is missing" episode,step,state,action 0,0,0,0
bad "bad.csv:1: 'colour' is not one of the columns that may be here: episode," $header,colour 0,0,0,0,0,red
bad "bad.csv:1: the column 'step' is there twice" $header,step 0,0,0,0,0,0
bad "bad.csv:2: 4 cells, but the header names 5 columns" $header 0,0,0,0
bad "bad.csv:3: state: there is no state '3'; the model has 0 to 2 and their names" $header 0,0,0,0,0 0,1,3,0,0
bad "bad.csv:2: state: there is no state 'cellar'" $header 0,0,cellar,0,0
bad "bad.csv:2: action: there is no action '-1'" $header 0,0,0,-1,0
bad "bad.csv:2: action: there is no action ''" $header 0,0,0,,0
bad "bad.csv:2: next: there is no state 'nan'" $header 0,0,0,0,nan
bad "bad.csv:2: next: state 1 followed \(s=0, a=0\), which the model rules out" $header 0,0,0,0,1
bad "bad.csv:2: step: 1, but step 0 of episode 7 is due" $header 7,1,0,0,0
bad "bad.csv:3: step: 2, but step 1 of episode 7 is due" $header 7,0,0,0,0 7,2,0,0,0
bad "bad.csv:3: step: 0, but step 1 of episode 7 is due" $header 7,0,0,0,0 7,0,0,0,0
bad "bad.csv:2: step: not an integer" $header 7,first,0,0,0
bad "bad.csv:4: episode: 7 appeared before: the rows of an episode must be consecutive" \
    $header 7,0,0,0,0 8,0,0,0,0 7,1,0,0,0
bad "bad.csv:3: state: 0, but the row before led to 1" $header 7,0,0,1,1 7,1,0,0,0
bad "bad.csv:5: state: 0, but the row before led to 1" $header 7,0,0,0,0 7,1,0,0,0 7,2,0,1,1 7,3,0,0,0
bad "bad.csv:2: done: neither true nor false" $header,done 7,0,0,1,1,perhaps
bad "bad.csv:2: done: but in the model, state 0 can be left" $header,done 7,0,0,0,0,1
bad "bad.csv:3: step: the episode was done" $header,done 7,0,0,1,1,1 7,1,1,0,1,1
bad "bad.csv:2: reward: not a number" $header,reward 7,0,0,1,1,much
bad "bad.csv:2: a quote is never closed" $header '"7,0,0,1,1'
bad "bad.csv:2: something follows a closed quote" $header '"7"x,0,0,1,1'
bad "bad.csv:2: a quote within a cell" $header '7"x",0,0,1,1'
bad "bad.csv:2: episode: longer than 63 bytes" $header "$(printf '%070d' 7),0,0,1,1"
bad "bad.csv:2: episode: longer than 63 bytes, or not UTF-8" $header $'\xff,0,0,1,1'
printf '%s\n7\0,0,0,1,1\n' $header >bad.csv
expect 3 "bad.csv:2: a byte that is 0" foray learn doors.json bad.csv -o new.foray
expect 3 "missing.csv: cannot open" foray learn doors.json missing.csv -o new.foray
expect 3 "" foray learn doors.json . -o new.foray
expect 2 "pendulum is a system" foray learn pendulum names.csv -o new.foray
expect 2 "standard output" foray learn doors.json names.csv -o -
expect 2 "-o is required" foray learn doors.json names.csv
holds "nothing was left behind" test ! -e new.foray
finish
