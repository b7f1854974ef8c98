#!/bin/bash
# foray lab lowerbound and foray lab ablation, end to end, on values that take a moment.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

# ------------------------------------------------------------------------- lowerbound
# Hypercube: the bound is 3 (d-1)^2 = 27 episodes. Packing: it is 0.118, so that only the
# larger of its multiples makes an episode.
hard=(--quick --algorithms "ucrl-rfe,random" --members 3 --seeds 3 --cube-dim 4 --cube-eps 0.0375
    --cube-multiples "0.5,1,64" --dim 64 --eps 0.3 --multiples "4,64")
files=(rows.csv summary.csv bounds.csv least-dim.csv findings.txt experiment.txt index.html)
expect 0 "packing: at delta = 0.1 the bound is vacuous below d = 62.*less than one" foray lab lowerbound "${hard[@]}" -o one
for file in "${files[@]}"; do
    holds "one/$file is there" test -s "one/$file"
done
for id in success-hypercube success-packing bounds-dim bounds-eps; do
    holds "the picture $id is on the page" grep -q "id=\"$id\"" one/index.html
done

# As Markdown: every picture and table that it links is there, and pictures have their legends.
mkdir markdown
cp one/*.csv markdown
expect 0 "" "$source_dir/scripts/results-markdown" one/index.html markdown
holds "findings stay" grep -qF "$(grep -o '^packing: at delta = 0.1 the bound' one/findings.txt)" markdown/README.md
for id in success-hypercube success-packing bounds-dim bounds-eps; do
    holds "the page shows $id" grep -qF "]($id.svg)" markdown/README.md
    holds "$id is XML" python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse('markdown/$id.svg')"
done
holds "legends are in the pictures" grep -q '<text x=.*>ucrl-rfe</text>' markdown/success-hypercube.svg
holds "what is linked is there" test -z "$(grep -oE '\]\([^)]*\)' markdown/README.md | tr -d '])(' |
    while read -r file; do test -s "markdown/$file" || echo "$file"; done)"
holds "lines have 120 columns" test -z "$(sed '/^```/,/^```/d; /^|/d' markdown/README.md |
    LC_ALL=C.UTF-8 grep -E '.{121,}')"

# 2 classes, 2 algorithms, 3 members; 3 seeds; 3 multiples in one class and 1 in the other.
holds "every cell is kept" test "$(find one/cells -name '*.csv' | wc -l)" -eq 12
holds "there is a row for each trial" test "$(wc -l <one/rows.csv)" -eq $((2 * 3 * 3 * 4 + 1))
holds "the bound is 27 episodes" grep -q ",1,27," one/rows.csv
holds "success is a gap of at most eps" awk -F, 'NR > 1 { eps = $2 == "packing" ? 0.3 : 0.0375
    if (($8 <= eps) != $9) exit 1 }' one/rows.csv

# Rates again from the rows; of 9 trials without success the upper limit is 1 - 0.025^(1/9).
rates_again() {
    awk -F, 'NR > 1 && ($6 == 1 || $6 == 64) { n[$2 "," $3 "," $6]++; won[$2 "," $3 "," $6] += $9 }
        END { for (key in n) print key "," sprintf("%.6f", won[key] / n[key]) }' one/rows.csv | sort
}
rates_told() {
    awk -F, 'NR > 1 { if ($3 != "") print $1 "," $2 ",1," sprintf("%.6f", $3)
                      print $1 "," $2 ",64," sprintf("%.6f", $9) }' one/summary.csv | sort
}
holds "rates are what the rows say" cmp <(rates_again) <(rates_told)
holds "limits are exact" awk -F, 'NR > 1 && $3 == 0 && $3 != "" { seen = 1
    want = 1 - exp(log(0.025) / 9); if ($5 - want > 1e-12 || want - $5 > 1e-12) exit 1 }
    END { exit !seen }' one/summary.csv
# The bounds by their formulas, with log 2 as a number.
holds "bounds are those of the formulas" awk -F, 'NR > 1 { d = $1; e = 0.0375
    packing = 9 / (128 * e * e) * (((d - 1) / 16 - 3) * 0.9 - 0.693147180559945)
    cube = 9 * (d - 1) ^ 2 * 0.36 / (768 * e * e)
    if (packing <= 0 ? $2 != "vacuous" : ($2 / packing - 1) ^ 2 > 1e-20) exit 1
    if (($3 / cube - 1) ^ 2 > 1e-20) exit 1 }' one/bounds.csv
holds "least-dim.csv goes from 61 on" test "$(cut -d, -f2 one/least-dim.csv | sed -n '2p;$p' | tr '\n' ' ')" = "61 71 "

expect 0 "" foray lab lowerbound "${hard[@]}" --threads 1 -o two
holds "threads do not matter" same_files one two "${files[@]}"
rm two/cells/hypercube-random-*.csv two/index.html
expect 0 "" foray lab lowerbound "${hard[@]}" -o two
holds "what is missing is made again" same_files one two "${files[@]}"

expect 0 "vacuous below d = 62, and so at d = 20: nothing to measure" foray lab lowerbound "${hard[@]}" --dim 20 -o flat
holds "a vacuous bound has no cells" test -z "$(find flat/cells -name 'packing*')"
expect 0 "eps = 1 is outside the theorem's range" foray lab lowerbound "${hard[@]}" --cube-eps 1 --dim 20 -o empty
holds "the page says so" grep -q "the bound is vacuous here" empty/index.html
expect 2 'multiples "4,1" must ascend' foray lab lowerbound "${hard[@]}" --multiples 4,1 -o new
expect 2 "all that the class has room for" foray lab lowerbound "${hard[@]}" --eps 5 -o new

# --------------------------------------------------------------------------- ablation
choices=(--quick --worlds "riverswim:states=3 chain:states=5,zones=2" --episodes 40 --seeds 1 --goals 4 --rewards 2)
files=(rows.csv summary.csv findings.txt experiment.txt)
expect 0 "radius=theorem, the theorem.s radius" foray lab ablation "${choices[@]}" -o ab
for file in "${files[@]}" times.csv index.html; do
    holds "ab/$file is there" test -s "ab/$file"
done
for id in effect-worst effect-target effect-certificate effect-plans effect-seconds; do
    holds "the picture $id is on the page" grep -q "id=\"$id\"" ab/index.html
done
# 15 choices, the base among them; episodes 16, 32, 40.
holds "every cell is kept" test "$(find ab/cells -name '*.csv' | wc -l)" -eq $((2 * 15))
holds "there is a row for each look" test "$(wc -l <ab/rows.csv)" -eq $((2 * 15 * 3 + 1))
holds "replan=every plans every episode" grep -qE "^world-1-replan=every-0,.*,40$" ab/rows.csv
# With one seed a ratio is a quotient of two numbers.
ratios_again() {
    sed 's/"[^"]*"/chain/' ab/rows.csv | awk -F, 'NR > 1 && $6 == 40 { certificate[$2, $3] = $9; plans[$2, $3] = $11
            world[NR] = $2; choice[NR] = $3 }
        END { for (i in world) { w = world[i]; c = choice[i]
            print w "," c "," sprintf("%.9f,%.9f", certificate[w, c] / certificate[w, "base"], plans[w, c] / plans[w, "base"]) } }' | sort
}
ratios_told() {
    sed 's/"[^"]*"/chain/' ab/summary.csv | awk -F, 'NR > 1 { print $1 "," $2 "," sprintf("%.9f,%.9f", $8, $14) }' | sort
}
holds "ratios are what the rows say" cmp <(ratios_again) <(ratios_told)
holds "planning modes explore alike" test "$(grep -cE '^(riverswim:states=3),(base|mode=[a-z]+),' ab/summary.csv)" -eq 3

expect 0 "" foray lab ablation "${choices[@]}" --threads 1 -o again
holds "threads do not matter" same_files ab again "${files[@]}"
expect 0 "clip=remaining, values" foray lab ablation "${choices[@]}" --base literal -o literal
expect 2 "no built-in world is called" foray lab ablation --worlds swamp -o new
holds "nothing was made in vain" test ! -e new
finish
