#!/usr/bin/env bash
# What the README, the guide and the pages about simulators and data show is what happens: runs
# the commands of their ```console blocks, one page after the other, each in an empty
# directory. Every command must end well and print what the page shows, digit by digit, but for
# spacing, times, dates and sizes of files; where simulators in Python take part, whose mathematics
# is not ours, but for all numbers and arrows. In the shown output, a line "..." ends the
# comparison. A ```python block that begins with "# NAME.py" is that file.
set -euo pipefail

command=$1 source_tree=${FORAY_SOURCE:?}
pages=(README.md docs/guide.md docs/rewards.md docs/simulator.md docs/data.md docs/import.md docs/verifiers.md
    docs/frozenlake.md docs/callcentre.md docs/tradeoffs.md)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(realpath "$command")" "$scratch/bin/foray"
export PATH="$scratch/bin:$PATH" LC_ALL=C.UTF-8
ran=0

# The console blocks of a page, without their fences.
blocks() {
    awk '/^```/ { inside = ($0 == "```console"); next } inside' "$1"
}

# The files that a page shows, and those that it says to copy.
files() {
    awk '/^```/ { name = ""; first = ($0 == "```python"); next }
         first && /^# [a-z]+\.py/ { name = $2; sub(/:$/, "", name) }
         { first = 0 }
         name { print > name }' "$1"
    cp "$source_tree/examples/outside/foray_world.py" "$source_tree"/examples/tables/* .
}

# Forgets spacing, times, dates and sizes, and whatever follows a line of dots; of the page about
# simulators all numbers and arrows.
outline() {
    local numbers=()
    if [[ $1 == docs/simulator.md ]]; then
        numbers=(-e 's/[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/N/g' -e 's/[←→↑↓]/A/g')
    fi
    sed -E -e '/^\.\.\.$/,$d' -e 's/, in [0-9.]+ s$/, in N s/' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/DATE/' -e 's/^((file )?bytes) .*/\1/' \
        "${numbers[@]}" -e 's/[[:space:]]+/ /g' -e 's/ $//'
}

# Runs one command of a page and compares what it prints with what is shown.
try() {
    local page=$1 line=$2 shown=$3 printed status=0
    printed=$(bash -euo pipefail -c "$line" 2>&1 </dev/null) || status=$?
    ran=$((ran + 1))
    if ((status != 0)); then
        printf 'test_readme: %s: $ %s\nended with %d and printed\n%s\n' "$page" "$line" \
            "$status" "$printed" >&2
        exit 1
    fi
    local want got
    want=$(outline "$page" <<<"$shown")
    got=$(outline "$page" <<<"$printed")
    if [[ $shown == *$'\n...' ]]; then
        got=$(head -n "$(wc -l <<<"$want")" <<<"$got")
    fi
    if [[ $want != "$got" ]]; then
        printf 'test_readme: %s: $ %s\n' "$page" "$line" >&2
        diff <(echo "$want") <(echo "$got") >&2
        exit 1
    fi
}

# Splits a page into commands ("$ ...") and the output that follows each.
run_page() {
    local page=$1 line="" shown="" text
    files "$source_tree/$page"
    while IFS= read -r text; do
        if [[ $text == '$ '* ]]; then
            [[ -z $line ]] || try "$page" "$line" "$shown"
            line=${text#'$ '} shown=""
        else
            shown+=${shown:+$'\n'}$text
        fi
    done < <(blocks "$source_tree/$page")
    [[ -z $line ]] || try "$page" "$line" "$shown"
}

for page in "${pages[@]}"; do
    mkdir "$scratch/page"
    (cd "$scratch/page" && run_page "$page" && echo "$ran" >"$scratch/ran")
    echo "test_readme: $page: $(cat "$scratch/ran") commands"
    (($(cat "$scratch/ran") > 0))
    rm -rf "$scratch/page"
done
