#!/usr/bin/env bash
# test_docs.sh FORAY - pages can be found and followed: every relative link of every page
# leads to a file of the tree and its #anchor to a heading there, every page can be reached
# from README.md, no line of prose has more than 120 columns, files and functions that pages name
# exist, pages of algorithms have the same sections in the same order, every folder of src/ and lab/
# is on the map once, and docs/api.md names every public header and leads to every public function.
set -euo pipefail
export LC_ALL=C.UTF-8

cd "$FORAY_SOURCE"
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# The text of a page without its code blocks.
prose() {
    awk '/^```/ { inside = !inside; next } !inside && !/^    /' "$1"
}

# The targets of the links and pictures of a page.
links() {
    prose "$1" | sed 's/`[^`]*`//g' | grep -oE '\]\([^) ]+\)|src="[^"]+"' |
        sed -E 's/^\]\(|\)$|^src="|"$//g' || true
}

# The anchors of a page, made from its headings as the usual viewers do: further headings of
# the same text get -1, -2, ...
anchors() {
    awk '/^```/ { inside = !inside; next } !inside && /^#+ /' "$1" |
        sed -E -e 's/^#+ +//' -e 's/\[([^]]*)\]\([^)]*\)/\1/g' -e 's/[^[:alnum:] _-]//g' -e 's/ /-/g' |
        tr '[:upper:]' '[:lower:]' |
        awk '{ print seen[$0] ? $0 "-" seen[$0] : $0; seen[$0]++ }'
}

mapfile -t pages < <(find . \( -name build -o -name '.?*' \) -prune -o -name '*.md' -print |
    sed 's|^\./||' | sort)

# Prose and indented blocks have at most 120 columns; tables and fenced blocks cannot be broken.
for page in "${pages[@]}"; do
    while read -r line; do
        fail "$page: more than 120 columns: ${line:0:60}..."
    done < <(awk '/^```/ { inside = !inside } !inside && !/^\|/' "$page" | grep -E '^.{121,}')
done

# What pages name is there: paths in the tree, functions and types.
folders='src|lab|cli|tests|bench|examples|scripts|fuzz|include|docs'
for page in "${pages[@]}"; do
    while read -r path; do
        compgen -G "$path" >/dev/null || fail "$page: there is no $path"
    done < <(grep -oE "(^|[^/[:alnum:]_.])($folders)/[[:alnum:]_./*-]+" "$page" |
        sed -E 's/^[^a-z]//; s/[.]+$//' | sort -u)
    while read -r name; do
        grep -rqwF -- "$name" include src lab examples || fail "$page: there is no $name"
    done < <(grep -oE '\b(foray|fy)_[a-z_0-9]*[a-z0-9]\b' "$page" |
        grep -v foray_noun_verb | sort -u)
done

declare -A reached=([README.md]=1)
followed=0
follow() {
    local page=$1 link=$2 path anchor
    [[ $link == *://* || $link == mailto:* ]] && return
    path=${link%%#*} anchor=
    [[ $link != *'#'* ]] || anchor=${link#*#}
    path=$(realpath -m --relative-to=. "$(dirname "$page")/${path:-$(basename "$page")}")
    followed=$((followed + 1))
    if [[ ! -e $path ]]; then
        fail "$page: $link: there is no $path"
    elif [[ -n $anchor ]] && ! anchors "$path" | grep -qxF -- "$anchor"; then
        fail "$page: $link: $path has no heading of that name"
    fi
    echo "$page $path" >>"$edges"
}
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
for page in "${pages[@]}"; do
    while read -r link; do
        follow "$page" "$link"
    done < <(links "$page")
done

# Pages that README.md leads to, at any number of steps.
grown=1
while ((grown)); do
    grown=0
    while read -r from to; do
        if [[ -n ${reached[$from]:-} && -z ${reached[$to]:-} ]]; then
            reached[$to]=1 grown=1
        fi
    done <"$edges"
done
for page in "${pages[@]}"; do
    [[ -n ${reached[$page]:-} ]] || fail "$page: no links lead there from README.md"
done

# The pages of algorithms have these sections, some of them or others between, in this order.
sections='What it does|Guarantee|Constants in practice|What the paper leaves open'
sections+='|Deviations|Settings|Cost'
for page in docs/algorithms/*.md; do
    given=$(sed -nE "s/^## ($sections)$/\1/p" "$page")
    wanted=$(tr '|' '\n' <<<"$sections" | grep -xF -- "$given")
    [[ $given == "$wanted" && $given == *Guarantee* ]] ||
        fail "$page: sections are missing, given twice or not in the usual order"
done

for folder in [a-z]*/ src/*/ lab/*/; do
    [[ $folder == build/ || $folder == src/ || $folder == lab/ || $folder == include/ ]] ||
        (($(grep -cE "^    ([a-z]+/ )*$folder " README.md) == 1)) ||
        fail "README.md: $folder is not on the map, once"
done
for header in include/foray/*.h; do
    grep -q "(../$header)" docs/api.md || fail "docs/api.md does not name $header"
done

# "foray_model_" in the tables of docs/api.md stands for all that begins so.
mapfile -t beginnings < <(grep -E '^\| `foray_' docs/api.md | cut -d'|' -f2 | grep -oE 'foray_[a-z_]+')
while read -r name; do
    found=
    for beginning in "${beginnings[@]}"; do
        [[ $name != "$beginning"* ]] || found=1
    done
    [[ -n $found ]] || fail "docs/api.md: $name is in none of its tables"
done < <(grep -ohE '\bforay_[a-z_0-9]+\(' include/foray/*.h | tr -d '(' | sort -u)

echo "test_docs: ${#pages[@]} pages, $followed links, $failures failures"
((failures == 0 && followed > 100))
