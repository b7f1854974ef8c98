#!/bin/bash
# Figures for papers: of compare, lab and report, in the size asked for, with their numbers.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

few=(chain:states=7 -k 40 --rewards 3 --rounds 1 -a "ucrl-rfe,random" --seeds 2)
expect 0 "figure: one/figure-worst.svg" foray compare "${few[@]}" -o one --figure worst --figure-size 85x65 \
    --figure-font "Times, serif 8"
holds "it is as large as was asked" grep -q ' width="85.00mm" height="6[45].[0-9]*mm"' one/figure-worst.svg
holds "the font is the one asked for" grep -q 'font-family:Times, serif' one/figure-worst.svg
holds "it has a title" grep -q '>Worst gap over all rewards</text>' one/figure-worst.svg
# The numbers are those of the table behind the plot.
last_of() { awk -F, -v name="$1" '$1 == name { y = $3 } END { print y }' one/figure-worst.csv; }
holds "the numbers beside it are those of the summary" test "$(last_of random)" = \
    "$(awk -F, '$1 == "random" && $3 == "worst" { print $4 }' one/summary.csv)"
if command -v rsvg-convert >/dev/null; then
    holds "a PDF is made of it" grep -q "%PDF" one/figure-worst.pdf
    holds "and a PNG" grep -q PNG one/figure-worst.png
fi
expect 0 "PDF and PNG need rsvg-convert" env PATH=/nowhere "$foray" compare "${few[@]}" -o one --figure mean --figure-untitled
holds "without a title" test "$(grep -c 'class="title"' one/figure-mean.svg)" -eq 0
expect 0 "" foray compare "${few[@]}" -o two
holds "a figure changes no result" cmp one/rows.csv two/rows.csv

# Refusals, before anything is computed.
expect 2 "there is no figure 'worse'; there are: worst, mean" foray compare "${few[@]}" -o new --figure worse
expect 2 "figure-size=85, but it must be two numbers" foray compare "${few[@]}" -o new --figure worst --figure-size 85
expect 2 "sides of 30 to 2000 mm" foray compare "${few[@]}" -o new --figure worst --figure-size 85x6
expect 2 "a font is a name" foray compare "${few[@]}" -o new --figure worst --figure-font "x}</style><script>"
expect 2 "is for --figure, which is missing" foray compare "${few[@]}" -o new --figure-size 85x60
holds "nothing was made in vain" test ! -e new

# The lab; the report, whose files lie beside the page.
quick=(--quick --worlds riverswim --episodes 8 --seeds 1)
expect 2 "there is no figure 'none'; there are: " foray lab ablation "${quick[@]}" -o lab --figure none
name=$(sed -n 's/.*there are: \([a-z0-9-]*\).*/\1/p' "$work/err")
expect 0 "figure: lab/figure-$name.svg" foray lab ablation "${quick[@]}" -o lab --figure "$name" --figure-size 120x90
holds "the lab's is as wide as was asked" grep -q ' width="120.00mm"' "lab/figure-$name.svg"
foray explore rooms:rows=2,cols=2 -k 200 -o run.foray >/dev/null
foray plan run.foray -r goal:3 >/dev/null
for figure in visitmap certificate theta policy0-0 doubtmap0; do
    expect 0 "figure: page-$figure.svg" foray report run.foray -o page.html --figure $figure --force
    holds "$figure has numbers" test "$(wc -l <"page-$figure.csv")" -gt 3
    holds "$figure needs nothing of the page" test "$(grep -c 'var(--' "page-$figure.svg")" -eq 0
done
expect 2 "there is no figure 'x'" foray report run.foray -o other.html --figure x
holds "and then there is no page" test ! -e other.html
rm page.html
expect 2 "page-theta.svg already exists" foray report run.foray -o page.html --figure theta
holds "and nothing was written" test ! -e page.html
expect 2 "next to the page" foray report run.foray -o - --figure theta
finish
