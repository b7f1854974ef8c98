#!/bin/bash
# The table of docs/guide.md that says which algorithm suits which world: its numbers, of the worlds
# that take little time, are those of today.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# Certificates of the plans for all goals after 512 episodes: the largest of three seeds, and the mean.
certificates() { # WORLD ALGORITHM OPTION...
    for seed in 1 2 3; do
        foray explore "$1" -a "${@:2}" -k 512 --seed $seed --quiet --force -o which.foray
        foray plan which.foray -r goals --json --no-store
    done | awk '
        function brief(x) { return x == 0 ? "0" : sprintf(x >= 1 ? "%.1f" : "%#.2g", x) }
        $1 == "\"gap\":" { sum += $2; count++; if ($2 + 0 > most) most = $2 + 0 }
        END { print brief(most) " / " brief(sum / count) }'
}

for world in riverswim frozenlake frozenlake:shared=0; do
    row=$(grep -F "| \`$world\` |" "$source_dir/docs/guide.md" | tr -d '*')
    holds "there is one row about $world" test "$(wc -l <<<"$row")" = 1
    said=$(awk -F ' *[|] *' '{ print $4 "; " $5 "; " $6 "; " $7 }' <<<"$row")
    found="$(certificates $world ucrl-rfe); $(certificates $world scout)"
    found+="; $(certificates $world rf-express --pooled on); $(certificates $world random)"
    holds "$world: docs/guide.md says $said, and it is $found" test "$said" = "$found"
done
finish
