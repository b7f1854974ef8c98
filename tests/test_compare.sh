#!/bin/bash
# foray compare: what it writes, that it continues, and what it refuses.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

small=(riverswim:states=4 -k 40 --rewards 3 --rounds 2)
tables=(rows.csv summary.csv findings.txt experiment.txt)
same_tables() {
    local file
    for file in "${tables[@]}"; do
        cmp "$1/$file" "$2/$file" || return 1
    done
}

# Everything is there, and says what it should.
expect 0 "^ucrl-rfe +40" foray compare "${small[@]}" -a "ucrl-rfe,random" --seeds 3 -o one
for file in rows.csv times.csv summary.csv summary.txt findings.txt experiment.txt index.html worst.svg \
    mean.svg certificate.svg covered.svg time.svg memory.svg; do
    holds "one/$file is there" test -s "one/$file"
done
# 1, 2, 3, 6, 10, 18, 32, 40 episodes, two algorithms, three seeds, and the heading.
holds "rows.csv has a row for each checkpoint" test "$(wc -l <one/rows.csv)" -eq $((8 * 2 * 3 + 1))
holds "the checkpoints are geometric" cmp <(printf '%s\n' 1 2 3 6 10 18 32 40) \
    <(awk -F, '$2 == "random" && $3 == 2 { print $4 }' one/rows.csv)
holds "summary.csv has a row for each algorithm and measure" \
    test "$(wc -l <one/summary.csv)" -eq $((2 * 17 + 1))
# The worst of all is the worst of each, the mean never exceeds it, the bound is honest.
consistent() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { worst = $at["adversary"] + 0
          for (name in at) if (name ~ /_worst$/ && $at[name] + 0 > worst) worst = $at[name] + 0
          if (worst != $at["worst"] + 0 || $at["mean"] + 0 > worst) bad = 1
          if ($at["covered"] < 1 || $at["covered"] > 4 || $at["memory"] < 1) bad = 1 }
        END { exit bad || NR < 2 }' "$1"
}
holds "rows.csv is consistent" consistent one/rows.csv
holds "the page needs nothing from elsewhere" \
    bash -c '! grep -E "(src|href)=\"?(https?:)?//|@import|url\(" one/index.html'
if command -v xmllint >/dev/null; then
    holds "plots are well-formed" xmllint --noout one/*.svg
fi
holds "no plot has a number that is none" bash -c '! grep -iE "nan|inf[^o]" one/*.svg'

# The same whatever the number of threads, and in another order of algorithms row by row.
expect 0 "" foray compare "${small[@]}" -a "ucrl-rfe,random" --seeds 3 --threads 1 -o two
holds "threads do not matter" same_tables one two
expect 0 "" foray compare "${small[@]}" -a random,ucrl-rfe --seeds 3 -o three
holds "the order of algorithms does not matter" cmp <(sort one/rows.csv) <(sort three/rows.csv)

# Algorithms that see a reward are given one; one that need not walk covers everything.
expect 2 "explores for one reward" foray compare "${small[@]}" -a ucrl-vtr --seeds 1 -o blind
expect 0 "^ucrl-vtr[+] +40" foray compare "${small[@]}" -a "generative,ucrl-vtr,ucrl-vtr+" -r goal:3 --seeds 2 \
    -o references
holds "the generative sampler has been everywhere" \
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $2 == "generative" && $4 == 40 { seen++; if ($at["covered"] != 4) bad = 1 }
        END { exit bad || seen != 2 }' references/rows.csv

# Nothing is made again: rows stay as they are, so a row changed by hand comes through.
cp -r one again
sed -i '2s/^1,[^,]*/1,0.123/' again/cells/random-seed1.csv
expect 0 "" foray compare "${small[@]}" -a "ucrl-rfe,random" --seeds 3 -o again
holds "runs that ended are kept" grep -q "^random-seed1,random,1,1,0.123" again/rows.csv

# Killed at any moment it continues to the same tables.
long=(riverswim:states=6 -k 20000 --rewards 8 -a "ucrl-rfe,random" --seeds 4)
expect 0 "" foray compare "${long[@]}" -o whole
for delay in 0.05 0.15 0.3; do
    foray compare "${long[@]}" -o "killed$delay" >/dev/null 2>&1 &
    victim=$!
    sleep "$delay"
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    expect 0 "" foray compare "${long[@]}" -o "killed$delay"
    holds "killed after $delay s it continues to the same tables" same_tables whole "killed$delay"
done
cp -r whole part
rm part/cells/random-seed3.csv part/rows.csv
expect 0 "" foray compare "${long[@]}" -o part
holds "a run that is missing is made again" same_tables whole part

# A signal stops it politely.
foray compare chain -k 100000000 -a random --seeds 2 -o stopped >stopped.out 2>&1 &
victim=$!
appears stopped/experiment.txt
kill -TERM $victim
wait $victim
holds "a signal ends it with 130" test $? -eq 130
holds "and it says how to go on" grep -q "run the same command again" stopped.out

# What a kill leaves of the settings is not in the way; anything else is.
mkdir torn && echo foray >torn/experiment.txt.123456
expect 0 "" foray compare "${small[@]}" -a random --seeds 1 -o torn

# More seeds and more algorithms are welcome, other settings are not.
expect 0 "^rf-express" foray compare "${small[@]}" -a ucrl-rfe,random,rf-express --seeds 4 -o one
holds "more of both" test "$(wc -l <one/rows.csv)" -eq $((8 * 3 * 4 + 1))
expect 2 'started with "delta 0.1.*", not "delta 0.2' \
    foray compare "${small[@]}" --delta 0.2 -a random -o one
expect 2 'started with "episodes 40", not "episodes 50"' \
    foray compare riverswim:states=4 -k 50 --rewards 3 --rounds 2 -a random -o one
foray compare "${small[@]}" -a sstp --sstp-levels 2 --seeds 1 -o levels >/dev/null
expect 2 'started with "sstp_levels 2", not "sstp_levels 3"' foray compare "${small[@]}" -a sstp --sstp-levels 3 --seeds 1 -o levels
expect 2 'started with "mode plugin", not "mode optimistic"' \
    foray compare "${small[@]}" -m optimistic -a random -o one
expect 2 'started with "world riverswim:states=4"' foray compare riverswim:states=5 -k 40 --rewards 3 -a random -o one
mkdir other && touch other/thing
expect 2 "not empty and holds no experiment" foray compare "${small[@]}" -a random -o other
holds "nothing was written there" test "$(ls other)" = thing
expect 2 "is not a directory" foray compare "${small[@]}" -a random -o other/thing
echo nonsense >two/cells/random-seed1.csv
expect 3 "random-seed1.csv: not the rows of a cell" \
    foray compare "${small[@]}" -a "ucrl-rfe,random" --seeds 3 -o two

# A time limit ends runs that episodes do not.
expect 0 "" foray compare chain -k 100000000 --seconds 0.1 -a random --seeds 2 --rewards 2 -o timed
holds "the last row is where the time was over" \
    awk -F, 'NR > 1 && $4 >= 100000000 { bad = 1 } END { exit bad || NR < 3 }' timed/rows.csv

# Algorithms that see the reward need one; its gap is measured for all, and kept apart.
rewarded=(riverswim -k 30 --rewards 2 --seeds 2 -a "ucrl-rfe,ucrl-vtr" -o rewarded)
expect 2 "ucrl-vtr: explores for one reward" foray compare "${rewarded[@]}"
holds "nothing was made for it" test ! -e rewarded
expect 0 "^ucrl-vtr" foray compare "${rewarded[@]}" -r goal:5
holds "there is a plot for that reward" test -s rewarded/given.svg
holds "and none without it" test ! -e one/given.svg
expect 2 'started with "reward goal:5 ' foray compare "${rewarded[@]}" -r goal:4
cp rewarded/rows.csv before.csv
expect 0 "" foray compare "${rewarded[@]}" -r goal:5
holds "it continues with it" cmp before.csv rewarded/rows.csv

# An algorithm with settings of its own, whose rows are those it has when all runs have them.
own=(-a "ucrl-rfe:radius=theorem,ties=lowest,random" -a "ucrl-rfe:radius=sharp" --seeds 2)
expect 0 "^ucrl-rfe:radius=theorem,ties=lowest +40" foray compare "${small[@]}" "${own[@]}" -o own
expect 0 "" foray compare "${small[@]}" -a ucrl-rfe --radius theorem --ties lowest --seeds 2 -o all
rows_of() { sed -n "s/^[^,]*\(,[^,]*\)*,\"*$1\"*,\([0-9]*,[0-9]*,\)/\2/p" "$2/rows.csv"; }
holds "settings of its own are settings" cmp <(rows_of "ucrl-rfe:radius=theorem,ties=lowest" own) <(rows_of ucrl-rfe all)
holds "and only its own" cmp <(rows_of "ucrl-rfe:radius=sharp" own) <(rows_of ucrl-rfe two | grep -v "^3,")
expect 2 "ucrl-rfe:radius=wide: radius=wide, but it must be" foray compare chain -a ucrl-rfe:radius=wide -o new
expect 2 "'radius' is not key=value" foray compare chain -a ucrl-rfe:radius -o new
expect 2 "seed is the same for all runs" foray compare chain -a ucrl-rfe:seed=3 -o new
expect 2 "sstp_levels is not a setting of random" foray compare chain -a random:sstp_levels=3 -o new

# Who won, in words: the best of seven is told apart where intervals do not meet, and only there.
holds "a verdict for gaps and certificates" test "$(grep -c . own/findings.txt)" -eq 2
holds "it is on the page" grep -q "The smallest worst gap is that of" own/index.html
clear_winner() {
    awk -F, 'NR > 1 && $3 == "worst" { low[$1] = $5; high[$1] = $6; mean[$1] = $4 }
        END { for (a in mean) if (best == "" || mean[a] < mean[best]) best = a
              for (a in mean) if (a != best && low[a] <= high[best]) met = 1
              print best, met + 0 }' "$1/summary.csv"
}
read -r best met < <(clear_winner one)
holds "the verdict names the best" grep -q "worst gap is that of $best, " one/findings.txt
holds "and says whether it is told apart" test "$(grep -c "worst gap.*do not tell" one/findings.txt)" -eq "$met"
expect 0 "single seed this may be chance" foray compare "${small[@]}" -a ucrl-rfe,random --seeds 1 -o chance

# Several worlds, a directory each, with the results of a comparison on that world alone.
expect 0 "several/riverswim:states=4/index.html" foray compare riverswim:states=4 chain:states=7 -k 40 --rewards 3 \
    --rounds 2 -a "ucrl-rfe,random" --seeds 3 -o several
holds "each as if it were alone" same_tables two several/riverswim:states=4
expect 0 '"worlds"' foray compare riverswim:states=4 chain:states=7 -k 40 --rewards 3 --rounds 2 \
    -a "ucrl-rfe,random" --seeds 3 -o several --json
expect 2 "named twice" foray compare chain chain -a random -o new

# A signal is answered also while the optimal values of all rewards are found (half a minute here),
# and in the middle of a run. The limit is generous: it is about answering at all.
for what in "grid:rows=60,cols=60 -k 20 -a ucrl-rfe" "grid:rows=15,cols=15 -k 200000 -a rf-rl-explore"; do
    # shellcheck disable=SC2086
    "$foray" compare $what --seeds 1 -o answered >answered.out 2>&1 &
    process=$!
    sleep 1
    kill -TERM "$process"
    for ((tenths = 0; tenths < 300; tenths++)); do
        kill -0 "$process" 2>/dev/null || break
        sleep 0.1
    done
    holds "$what: stopped within thirty seconds" test "$tenths" -lt 300
    kill -KILL "$process" 2>/dev/null
    wait "$process"
    holds "$what: exit code 130" test $? -eq 130
    rm -rf answered
done

# Refusals, each with its reason.
expect 2 "-o is required" foray compare chain -a random
expect 2 "-a is required" foray compare chain -o new
expect 2 "did you mean 'random'" foray compare chain -a ramdom -o new
expect 2 "no algorithm ''" foray compare chain -a random, -o new
expect 2 "named twice" foray compare chain -a random,random -o new
expect 2 "seeds=0, but it must be an integer from 1" foray compare chain -a random --seeds 0 -o new
expect 2 "seconds=-1, but it must be a number from 0" foray compare chain -a random --seconds -1 -o new
expect 2 "until must be -1" foray compare chain -a random --until 0.1 -o new
expect 3 "no such file" foray compare nowhere -a random -o new
expect 3 "cannot make the directory" foray compare "${small[@]}" -a random -o no/such/place
expect 0 '"runs": 1' foray compare "${small[@]}" -a random --seeds 1 -o json --json
holds "nothing was made in vain" test ! -e new
finish
