#!/bin/bash
# The pages of foray compare and foray lab in a real browser: no errors, every picture drawn
# on small and large screens, and the numbers of the tables in the page.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"
# shellcheck source=tests/browser.sh
. "$source_dir/tests/browser.sh"

# make DIRECTORY COMMAND...: its page, under a name of its own; all are opened together below.
pages=()
make() {
    pages+=("$1")
    expect 0 "" "${@:2}" -o "$1"
    cp "$1/index.html" "$1.html"
}
make contest foray compare chain:states=9 -a "ucrl-rfe,random,rf-express" -k 300 --seeds 3 --rewards 4
make complexity foray lab complexity --quick --algorithms "ucrl-rfe,random" --horizons "4,6" --zones "1,2" \
    --states 5 --certified-eps 3 --episodes 300 --seeds 2 --rewards 2 --rounds 1
make coverage foray lab coverage --quick --rules "sharp,rf-ucrl" --worlds "chain:states=4,zones=2" --deltas "0.5,0.1" \
    --control-rules sharp --control-scales "0.3,0.1" --seeds 5 --episodes 20 --rewards 2 --rounds 1
make theorem foray lab theorem --quick --worlds "chain:states=3,zones=1,laws=1,horizon=2" --eps 1.9 --seeds 2 \
    --rewards 2 --rounds 1
make lowerbound foray lab lowerbound --quick --algorithms "ucrl-rfe,random" --members 3 --seeds 3 --cube-dim 4 \
    --cube-eps 0.0375 --cube-multiples "0.5,1,64" --dim 64 --eps 0.3 --multiples "4,64"
make ablation foray lab ablation --quick --worlds "riverswim:states=3" --episodes 40 --seeds 2 --goals 4 --rewards 2
# Any other, as its help shows it.
others=()
for other in $(foray lab list --json | sed -n '/"parameters"/,/\]/d; s/.*"name": "\([a-z]*\)".*/\1/p'); do
    [ -d "$other" ] && continue
    others+=("$other")
    eval "make $other $(foray lab "$other" --help | sed -n 's/^ *\$ \(foray lab .*\) -o .*/\1/p')"
done
look "${pages[@]}"

# ----------------------------------------------------------------------------- compare
name=contest
holds "contest: K(eps) in the page is that of learning.csv" cmp <(csv learning.csv) contest/learning.csv
# The matrix shows the same: a row for each algorithm, "not reached" where the file has inf.
matrix_of() {
    awk -F, 'NR > 1 { if (!($1 in row)) order[++n] = $1
             row[$1] = row[$1] "," ($3 == "inf" ? "not reached" : $3) }
        END { for (i = 1; i <= n; i++) print order[i] row[order[i]] }' contest/learning.csv
}
holds "contest: the matrix is that of learning.csv" cmp <(shown learning-gap | tail -n +2) <(matrix_of)
holds "contest: the verdict comes first" test \
    "$(grep -n 'class="verdict"' contest.html | cut -d: -f1)" -lt "$(grep -n 'id="summary-table"' contest.html | cut -d: -f1)"
holds "contest: one legend for all charts" test "$(grep -c 'class="legend"' contest.html)" -eq 1
# The last point of every curve is what summary.csv has.
last_points() {
    csv "$1.csv" | awk -F, 'NR == 1 { for (i = 2; i <= NF; i += 3) name[i] = $i; next }
        { for (i = 2; i <= NF; i += 3) last[i] = $i " " $(i + 1) " " $(i + 2) }
        END { for (i = 2; i in last; i += 3) { split(last[i], x, " ")
                  printf "%s %.15g %.15g %.15g\n", name[i], x[1], x[2], x[3] } }'
}
summary_of() {
    awk -F, -v what="$1" '$3 == what { printf "%s %.15g %.15g %.15g\n", $1, $4, $5, $6 }' contest/summary.csv
}
for measure in worst mean covered memory; do
    holds "contest: $measure ends where the summary says" \
        cmp <(last_points $measure) <(summary_of $measure)
done
holds "contest: the certificate as well" cmp <(last_points certificate) <(summary_of bound)
holds "contest: a table behind every picture" test \
    "$(grep -c '<details id=' contest.html)" -ge "$(grep -c "<svg xmlns" contest.html)"
sed -n '/<pre id="command">/,/<\/pre>/p' contest.html | sed 's/<[^>]*>//g' >again.sh
mkdir again && cd again || exit 1
expect 0 "" bash ../again.sh
holds "contest: the page's command brings back the results" cmp ../contest/rows.csv contest/rows.csv
cd ..

# --------------------------------------------------------------------------------- lab
# check_lab NAME TABLE...: these tables in the page are those on disk.
check_lab() {
    local table
    name=$1
    shift
    for table in rows "$@"; do
        holds "$name: $table in the page is $table.csv" cmp <(csv "$table.csv") "$name/$table.csv"
    done
    holds "$name: the findings are on the page" cmp <(sed '/^$/d' "$name/findings.txt") \
        <(sed -n '/class="verdict"/,/<\/p>/p; /class="findings"/,/<\/ul>/p' "$name.html" |
            sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&#39;/'"'"'/g; s/&quot;/"/g; s/&amp;/\&/g; /^$/d')
}
check_lab complexity summary episodes
holds "complexity: the exponents shown are those of summary.csv" cmp <(shown summary) complexity/summary.csv
check_lab coverage summary certificates
check_lab theorem summary promises
check_lab lowerbound summary bounds least-dim
check_lab ablation summary
# Any other with every table that it writes.
for other in "${others[@]}"; do
    tables=$(cd "$other" && ls ./*.csv | sed 's/^..//; s/\.csv$//' | grep -v -x -e rows -e times)
    # shellcheck disable=SC2086
    check_lab "$other" $tables
done
finish
