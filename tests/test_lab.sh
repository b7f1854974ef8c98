#!/bin/bash
# foray lab: experiments end to end, on values so small that they take a moment.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

small=(--quick --algorithms "ucrl-rfe,random" --horizons "4,6" --zones "1,2" --states 5 --eps "1,0.3"
    --certified-eps 3 --episodes 200 --seeds 2 --rewards 2 --rounds 1)
tables=(rows.csv summary.csv episodes.csv findings.txt experiment.txt index.html)
same_files() {
    local file
    for file in "${tables[@]}"; do
        cmp "$1/$file" "$2/$file" || return 1
    done
}

# Everything is there, and says what it should.
expect 0 "For a worst gap of 0.3 at H = 6, d = 8, " foray lab complexity "${small[@]}" -o one
for file in "${tables[@]}"; do
    holds "one/$file is there" test -s "one/$file"
done
# 2 algorithms, 2 horizons, 2 numbers of zones, 2 seeds.
holds "every cell is kept" test "$(find one/cells -name '*.csv' | wc -l)" -eq 16
holds "episodes.csv has a row for each K" test "$(wc -l <one/episodes.csv)" -eq $((2 * 2 * 2 * 3 + 1))
holds "summary.csv has a row for each exponent" test "$(wc -l <one/summary.csv)" -eq $((2 * 2 * 3 + 1))

# K(eps) again from the rows, by its definition: with delta 0.1 both seeds must hold on.
oracle() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { key = $at["algorithm"] "," $at["horizon"] "," $at["zones"]; k = $at["episode"]; n[key]++
          for (e = 1; e <= 2; e++) {
              eps = e == 1 ? 1 : 0.3
              if ($at["gap"] > eps && k > bad[key, e]) bad[key, e] = k
          }
          if (!(k in seen)) { seen[k] = 1; look[++looks] = k } }
        END { for (key in n) for (e = 1; e <= 2; e++) {
                  split(key, part, ","); first = "inf"
                  for (i = looks; i >= 1 && look[i] > bad[key, e]; i--) first = look[i]
                  print part[1] ",gap," part[2] "," part[3] "," 4 * part[3] "," (e == 1 ? 1 : 0.3) "," first } }' \
        one/rows.csv | sort
}
holds "K(eps) is what the rows say" cmp <(oracle) <(grep ",gap," one/episodes.csv | sort)

# The same whatever the number of threads, killed or not.
expect 0 "" foray lab complexity "${small[@]}" --threads 1 -o two
holds "threads do not matter" same_files one two
cp -r one part
rm part/cells/random-H4-zones1-seed2.csv part/cells/ucrl-rfe-H6-zones2-seed1.csv part/rows.csv part/index.html
expect 0 "" foray lab complexity "${small[@]}" -o part
holds "what is missing is made again" same_files one part
long=(--quick --algorithms "ucrl-rfe,rf-ucrl" --horizons 10 --zones 2 --episodes 20000 --seeds 6 --rewards 2 --rounds 1)
expect 0 "" foray lab complexity "${long[@]}" -o whole
for delay in 0.1 0.4; do
    foray lab complexity "${long[@]}" -o "killed$delay" >/dev/null 2>&1 &
    victim=$!
    sleep "$delay"
    kill -KILL $victim 2>/dev/null
    wait $victim 2>/dev/null
    expect 0 "" foray lab complexity "${long[@]}" -o "killed$delay"
    holds "killed after $delay s it continues to the same bytes" same_files whole "killed$delay"
done
foray lab complexity --quick --episodes 100000000 -o stopped >stopped.out 2>&1 &
victim=$!
appears stopped/experiment.txt
kill -TERM $victim
wait $victim
holds "a signal ends it with 130" test $? -eq 130
holds "and it says how to go on" grep -q "run the same command again" stopped.out

# The command on the page makes the same page.
mkdir again && cd again || exit 1
sed -n '/<pre id="command">/,/<\/pre>/p' ../one/index.html | sed 's/<[^>]*>//g' >command.sh
expect 0 "" bash command.sh
holds "the page's command brings back the page" same_files ../one complexity
cd ..

# JSON.
expect 0 '"experiment": "complexity"' foray lab complexity "${small[@]}" -o one --json
holds "the exponents are in it" grep -q '"exponent"' "$work/out"
holds "and the findings" grep -q '"findings"' "$work/out"
expect 0 '"certified_eps"' foray lab list --json
expect 0 "^complexity" foray lab list

# Refusals, each with its reason.
expect 2 'started with "episodes 200", not "episodes 300"' foray lab complexity "${small[@]}" --episodes 300 -o one
expect 2 "-o is required" foray lab complexity --quick
expect 2 "no algorithm" foray lab complexity --algorithms nothing -o new
expect 2 "explores for one reward" foray lab complexity --algorithms ucrl-vtr -o new
expect 2 "20 zones, but there are only 17 states" foray lab complexity --zones 20 -o new
expect 2 'eps=-1, but it must be a number' foray lab complexity --eps=-1 -o new
expect 2 'radius=wide, but it must be one of' foray lab complexity --radius wide -o new
expect 2 "unknown option --horizon; did you mean --horizons" foray lab complexity --horizon 3 -o new
expect 2 "unknown command 'lab complexty'; did you mean 'lab complexity'" foray lab complexty
expect 2 "no subcommand given" foray lab
mkdir other && touch other/thing
expect 2 "not empty and holds no experiment" foray lab complexity "${small[@]}" -o other
expect 3 "cannot make the directory" foray lab complexity "${small[@]}" -o no/such/place
holds "nothing was made in vain" test ! -e new
finish
