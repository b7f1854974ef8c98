#!/bin/bash
# Logs with all their dirt: the same episodes, told cleanly and told badly, give the same certificates to
# the last bit; what cannot be understood is named, and then nothing is learnt.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

foray explore riverswim:states=4,horizon=6 -a random -k 300 -o run.foray >/dev/null
foray data run.foray -o clean.csv
foray learn unstructured:states=4,actions=2,horizon=6 clean.csv -o clean.foray >/dev/null
foray plan clean.foray -r goal:3 --no-store --doubt 0 >clean.plan

# dirty SEPARATOR: one row for each state found, also the last; a time in the place of steps. Names of
# states appear in the order of their numbers.
dirty() {
    awk -F, 'BEGIN { split("down in the mud|by the bridge|\"the \"\"weir\"\", left\"|spring", name, "|") }
        NR == 1 { print "Notes,When,Who,Where,What"; next }
        { t = ($1 * 7 % 300) * 60 + $2; at = sprintf("2024-02-%02dT%02d:%02d:%02d.5Z", 28 + 0, int(t / 3600) % 24, int(t / 60) % 60, t % 60)
          print "\"a, b\"," at ",trip " $1 ", " name[$3 + 1] " ," ($4 ? "swim" : "rest")
          if ($2 == 5) print "," substr(at, 1, 17) sprintf("%02d", t % 60 + 1) "Z,trip " $1 "," name[$5 + 1] "," }' clean.csv
}
dirty >tidy.csv
{
    printf '\357\273\277'
    head -n 1 tidy.csv
    # The order of appearance is that of the numbers: one row of each state first.
    for place in "down in" "by the" "the \"\"" spring; do grep -m 1 "$place" tidy.csv; done >first.txt
    cat first.txt
    tail -n +2 tidy.csv | grep -vxFf first.txt | awk '{ print (NR * 7919) % 2003 "\t" $0 }' | sort -n | cut -f 2-
} | sed 's/$/\r/' >dirty.csv
columns='When=time,Who=episode,Where=state,What=action'
log=(--columns "$columns" --states 4 --actions "rest,swim")
expect 0 "log +2,100 rows, 300 episodes, 1,800 steps" foray learn dirty.csv "${log[@]}" -o dirty.foray
holds "what was understood comes first" sh -c "head -n 1 '$work/out' | grep -q '^log'"
holds "lengths" grep -qE "^lengths +6 to 6, in the middle 6" "$work/out"
holds "pairs" grep -qE "^pairs \(s,a\) seen +[78] of 8" "$work/out"
foray plan dirty.foray -r goal:3 --no-store --doubt 0 >dirty.plan
holds "the same certificates from the dirt" cmp clean.plan dirty.plan
expect 0 "goal:spring" foray plan dirty.foray -r goal:spring --no-store
expect 0 "yes" foray verify dirty.foray

# ---- compressed, through a pipe, without times, with numbers, with what follows in a column
gzip -k dirty.csv
xz -k dirty.csv
for way in gz xz; do
    expect 0 "300 episodes" foray learn dirty.csv.$way "${log[@]}" -o $way.foray
    foray plan $way.foray -r goal:3 --no-store --doubt 0 >$way.plan
    holds "$way: the same" cmp clean.plan $way.plan
done
expect 0 "300 episodes" sh -c "foray learn - --columns '$columns' --states at-most:4 --actions rest,swim -o pipe.foray <dirty.csv.gz"
foray plan pipe.foray -r goal:3 --no-store --doubt 0 >pipe.plan
holds "from a pipe: the same" cmp clean.plan pipe.plan
sort -t, -k1,1n -k2,2nr clean.csv | grep -v episode | sed '1i one,two,three,four,five' >reversed.csv
for what in two=step two=time; do
    expect 0 "300 episodes, 1,800 steps" foray learn reversed.csv \
        --columns "one=episode,$what,three=state,four=action,five=next" --states 4 --actions 2 -o numbers.foray --force
    foray plan numbers.foray -r goal:3 --no-store --doubt 0 >numbers.plan
    holds "$what: numbers are numbers" cmp clean.plan numbers.plan
done
expect 0 "left out +the last row of 300 episodes" foray learn reversed.csv \
    --columns "one=episode,two=step,three=state,four=action" --states 4 --actions 2 -o short.foray
expect 0 "300 episodes, 1,800 steps" foray learn riverswim:states=4,horizon=6 reversed.csv \
    --columns "one=episode,two=step,three=state,four=action,five=next" -o model.foray
foray learn riverswim:states=4,horizon=6 clean.csv -o modelclean.foray >/dev/null
foray plan model.foray -r goal:3 --no-store >model.plan
foray plan modelclean.foray -r goal:3 --no-store >modelclean.plan
holds "with a model: the same" cmp modelclean.plan model.plan

# ---- more data: the names of the run, and new ones for states that had none
expect 2 "one more than there are: 'estuary'|--states: the model says that" foray learn dirty.csv --append "${log[@]}" -o dirty.foray
sed 's/spring/estuary/' tidy.csv >later.csv
expect 3 "state: one more|Where: one more than there are: 'estuary'" foray learn later.csv --append --columns "$columns" -o dirty.foray
expect 0 "300 episodes" foray learn dirty.csv --columns "$columns" --states at-most:5 --actions rest,swim -o room.foray
expect 0 "new names +1 states, 0 actions" foray learn later.csv --append --columns "$columns" -o room.foray
expect 0 "goal:estuary" foray plan room.foray -r goal:estuary -r goal:spring --no-store
expect 0 "yes" foray verify room.foray
holds "twice the data" test "$(foray info room.foray --json | "$json_check" episodes)" = 600

# ---- ends, empty actions, rewards that lack
cat >ends.csv <<'CSV'
case,at,found,done_by,over,paid
a,3,start,go,false,1.5
a,4,middle,go,true,
b,10,start,go,,2
b,11,finish,,yes,
c,1,start,,,
CSV
roles=case=episode,at=step,found=state,done_by=action,over=done,paid=reward
expect 0 '"ended": 2' foray learn ends.csv --columns $roles --states 4 --actions 1 -o ends.foray --json
expect 0 "log +5 rows, 2 episodes, 3 steps" foray learn ends.csv --columns $roles --states 4 --actions 1 -o ends.foray --force
holds "ends" grep -qE "episodes that ended +2 of 2" "$work/out"
holds "rewards" grep -qE "rewards +2 steps, 1.5 to 2" "$work/out"
holds "lacking" grep -qE "without a reward +1 steps" "$work/out"
expect 0 "goal:.end." foray plan ends.foray -r 'goal:(end)' --no-store

# ---- what was paid is the world's own reward: in one file or in two, certified within a range that is given
awk -F, 'BEGIN { OFS = "," } NR == 1 { print $0, "paid"; next } { print $0, ($4 ? ($1 + $2) % 3 : 0.25) + ($3 == 3) }' clean.csv >paid.csv
(head -n 1 paid.csv && awk -F, 'NR > 1 && $1 < 120' paid.csv) >paid1.csv
(head -n 1 paid.csv && awk -F, 'NR > 1 && $1 >= 120' paid.csv) >paid2.csv
roles=episode=episode,step=step,state=state,action=action,next=next,paid=reward
own() {
    local run=$1 file=$2
    shift 2
    foray learn "$file" --columns $roles "$@" -o "$run.foray" >/dev/null
}
own whole paid.csv --states 4 --actions 2 --range 0,4
own parts paid1.csv --states 4 --actions 2 --range 0,4
own parts paid2.csv --append
own guess paid.csv --states 4 --actions 2
for run in whole parts; do foray plan $run.foray -r own --no-store --json | grep -v '"run"' >$run.own; done
holds "in two files: the same" cmp whole.own parts.own
expect 0 "own .* certified" foray plan whole.foray -r own --no-store
expect 0 "own .* estimate" foray plan guess.foray -r own --no-store
expect 0 "yes" foray verify parts.foray
expect 3 "rewards from 0 to 3, but --range is 0 to 2.5" foray learn paid.csv --columns $roles --states 4 --actions 2 --range 0,2.5 -o bad.foray
expect 2 "must be LO,HI" foray learn paid.csv --columns $roles --states 4 --actions 2 --range 3 -o bad.foray

# ---- what is refused, by line and column, and then nothing is learnt
refused() {
    local pattern=$1
    shift
    printf '%s\n' case,at,found,did,next "$@" >bad.csv
    expect 3 "$pattern" foray learn bad.csv --columns case=episode,at=step,found=state,did=action,next=next \
        --states 2 --actions 2 -o bad.foray
    holds "nothing is learnt: $pattern" test ! -e bad.foray
}
refused "line 3: at: 2, but line 2 of the episode has 0" a,0,x,l,x a,2,x,l,x
refused "line 3: at: 0, but line 2 of the episode has 0" a,0,x,l,x a,0,x,l,x
refused "line 3: found: but line 2 led to 'y'.*'x'" a,0,x,l,y a,1,x,l,x
refused "line 2: did: empty, but the episode goes on" a,0,x,,x a,1,x,l,x
refused "line 3: found: one more than there are: 'z'" a,0,x,l,y a,1,z,l,x
refused "line 2: found: empty" a,0,,l,x
refused "line 2: case: empty" ,0,x,l,x
refused "line 2: at: not a whole number: 'noon'" a,noon,x,l,x
refused "no episodes"
refused "6 rows cannot be understood" a,b,c,d,e a,b,c,d,e a,b,c,d,e a,b,c,d,e a,b,c,d,e a,b,c,d,e
holds "five are shown" test "$(grep -c '^refused' "$work/out")" -eq 5
expect 2 "no column is the state" foray learn dirty.csv --columns Who=episode,What=action --states 2 --actions 2 -o bad.foray
expect 2 "two columns are the state" foray learn dirty.csv --columns Who=state,What=state --states 2 --actions 2 -o bad.foray
expect 2 "'Who' is not NAME=ROLE" foray learn dirty.csv --columns Who,What=state --states 2 --actions 2 -o bad.foray
expect 2 "by a step or by a time" foray learn dirty.csv --columns Who=episode,What=state,Where=action,When=time,Notes=step --states 2 --actions 2 -o bad.foray
expect 3 "the column 'Whom' is missing" foray learn dirty.csv --columns Whom=episode,What=action,Where=state --states 2 --actions 2 -o bad.foray
expect 2 "does not show what never happened" foray learn dirty.csv --columns "$columns" -o bad.foray
expect 2 "--columns for a log" foray learn dirty.csv -o bad.foray
expect 2 "1 to 100000000" foray learn dirty.csv --columns "$columns" --states 0 --actions 2 -o bad.foray
expect 3 "no number, no list" foray learn dirty.csv --columns "$columns" --states none.txt --actions 2 -o bad.foray
finish
