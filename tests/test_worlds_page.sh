#!/usr/bin/env bash
# test_worlds_page.sh FORAY - docs/worlds.md is true: it lists every parameter of
# every world with its default, and each of its examples runs and gives a valid model.
set -euo pipefail

foray=$1
page=$FORAY_SOURCE/docs/worlds.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "world parameter default", from the page's tables and from the command.
awk '/^## / { world = $2 }
     /^\| `[a-z]+` \| [0-9]/ { gsub(/[`|]/, ""); print world, $1, $2 }' "$page" >"$work/documented"
"$foray" world list |
    awk '/^[a-z]+$/ { world = $1 } /^    [a-z]+=/ { split($1, p, "="); print world, p[1], p[2] }' \
        >"$work/listed"
[ "$(wc -l <"$work/listed")" -gt 40 ]
diff "$work/documented" "$work/listed"

cd "$work"
examples=0
while read -ra words; do
    examples=$((examples + 1))
    mkdir "$work/$examples"
    (cd "$work/$examples" && "$foray" "${words[@]:1}" >"$work/out")
done < <(grep '^    foray ' "$page")
[ "$examples" -gt 8 ]
for model in */*.json; do
    "$foray" model check "$model" >"$work/out"
done
