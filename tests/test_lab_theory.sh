#!/bin/bash
# foray lab coverage and foray lab theorem, end to end, on values that take a moment.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"

# --------------------------------------------------------------------------- coverage
coverage=(--quick --rules "sharp,rf-ucrl,sstp" --worlds "riverswim:states=3 chain:states=4,zones=2" --deltas "0.5,0.1"
    --control-rules sharp --control-scales 0.05 --seeds 8 --episodes 20 --rewards 2 --rounds 1)
files=(rows.csv summary.csv certificates.csv findings.txt experiment.txt index.html)
expect 0 "Of 96 runs with a promise, in 12 settings" foray lab coverage "${coverage[@]}" -o held
for file in "${files[@]}"; do
    holds "held/$file is there" test -s "held/$file"
done
holds "the findings are on the page" grep -q "Of 96 runs with a promise" held/index.html
for id in coverage1 coverage2 control1 tightness; do
    holds "the picture $id is on the page" grep -q "id=\"$id\"" held/index.html
done

# A row for each rule, world and delta, and for each control; radii that are promised hold in
# nearly all runs, a twentieth of one in none.
holds "there is a row for each setting" test "$(wc -l <held/rows.csv)" -eq $((3 * 2 * 2 + 2 + 1))
rows_where() { # scale: of that scale, how many runs held
    awk -F, -v scale="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $0 ~ /"/ { gsub(/"[^"]*"/, "world") }
        $at["scale"] == scale { held += $at["held"]; runs += $at["runs"] }
        END { print held "/" runs }' held/rows.csv
}
holds "promised radii hold" test "$(rows_where 1)" = 96/96
holds "the control fails" test "$(rows_where 0.05)" = 0/16
holds "and that is found" grep -q "Control, sharp: scaled by 0.05 it breaks" held/findings.txt

# The interval of 8 of 8: low is the eighth root of 0.025, high is 1.
holds "intervals are exact" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $0 ~ /"/ { gsub(/"[^"]*"/, "world") }
    $at["scale"] == 1 && ($at["held_low"] - 0.025 ^ (1 / 8)) ^ 2 > 1e-20 { exit 1 }
    $at["scale"] < 1 && ($at["held_high"] - 1 + 0.025 ^ (1 / 8)) ^ 2 > 1e-20 { exit 1 }' held/summary.csv

# The same whatever the number of threads, and where cells are missing.
expect 0 "" foray lab coverage "${coverage[@]}" --threads 1 -o alone
holds "threads do not matter" same_files held alone "${files[@]}"
rm alone/cells/sharp-world1-* alone/index.html alone/summary.csv
expect 0 "" foray lab coverage "${coverage[@]}" -o alone
holds "what is missing is made again" same_files held alone "${files[@]}"
expect 2 "must be one of" foray lab coverage --rules blunt -o nothing

expect 2 "zones=6, but there are only states=4" foray lab coverage --worlds chain:states=4 -o nothing
holds "what is refused leaves no directory" test ! -e nothing

# ---------------------------------------------------------------------------- theorem
theorem=(--quick --eps "1.9,1.5" --seeds 2 --rewards 2 --rounds 1 --every-budget 200000
    --worlds "chain:states=3,zones=1,laws=1,horizon=2")
files=(rows.csv summary.csv promises.csv findings.txt experiment.txt index.html)
expect 0 "promised is 0.9" foray lab theorem "${theorem[@]}" -o kept
for file in "${files[@]}"; do
    holds "kept/$file is there" test -s "kept/$file"
done
holds "there is a chart for each variant" test "$(grep -c 'id="promise[0-9]*"' kept/index.html)" -eq 4

# K = 165,934 is the least for which the formula, evaluated here once more, is at most 1.9.
promised() {
    awk -v K="$1" 'BEGIN { H = 2; d = 2; B2 = 2; delta = 0.1; D = d * log(1 + K * B2 / d)
        beta = H * sqrt(d * log(3 * (1 + K * H ^ 3 * B2) / delta)) + 1
        print H / K * (4 * beta * (1 + 1 / H) * sqrt(K * (H - 1) * D) + D / log(2) * H * (H + 1) / 2 \
            + sqrt(K * H * (H + 1) * (2 * H + 1) / 12 * log(3 / delta))) }'
}
K=$(awk -F, '/laws=1/ { gsub(/"[^"]*"/, "world"); if ($5 == 1.9) print $6 }' kept/promises.csv)
holds "K is enough" awk -v gap="$(promised "$K")" 'BEGIN { exit !(gap <= 1.9) }'
holds "K is the least" awk -v gap="$(promised $((K - 1)))" 'BEGIN { exit !(gap > 1.9 - 1e-5) }'
holds "runs go to K" grep -q ",$K,$K," kept/rows.csv
# With H = 2 no gap exceeds 2, and only eps = 1.9 is within the budget of plans in every episode.
holds "promises beyond the budget are not put to the test" \
    test "$(grep -c '^printed' kept/summary.csv)" -eq 1
holds "the plans of every episode are counted" grep -q "^printed.*,$K\$" kept/summary.csv
holds "promises are kept" test "$(awk -F, 'NR > 1 { gsub(/"[^"]*"/, "world"); kept += $6; runs += $5 }
    END { print (kept == runs && runs > 0) }' kept/summary.csv)" -eq 1
expect 0 "" foray lab theorem "${theorem[@]}" --threads 1 -o single
holds "threads do not matter" same_files kept single "${files[@]}"
expect 2 "no eps is below the horizon and within the budgets" foray lab theorem --quick --eps 5 -o nothing
expect 2 "no eps is below the horizon and within the budgets" foray lab theorem --quick --eps 0.001 -o nothing
expect 2 "no built-in world is called" foray lab theorem --quick --others nowhere -o nothing

finish
