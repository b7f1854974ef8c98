#!/bin/bash
# Every example of --help works; manual pages and completions know every flag.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

# The long flags that the help of a command lists.
flags() {
    local -a words
    read -ra words <<<"$1"
    foray "${words[@]}" --help | sed -n '/^options:/,/^exit codes:/p' | grep -oE '^ +(-[a-z], )?--[a-z-]+' |
        grep -oE -- '--[a-z-]+' | sort
}

holds "all commands are listed" test "$(commands | wc -l)" -ge 30
holds "and the six most used ones first" test "$(foray --help | sed -n '/^most used:/,/^$/p' | wc -l)" = 8
for group in explore plan show "bring and take" research; do
    holds "help has the group $group" grep -qx "$group:" <(foray --help)
done
foray explore --help | sed -n '/^options:/,/^$/p' >often
holds "explore --help begins with ten options" test "$(grep -cE '^ +(-[a-z], )?--' often)" = 10
holds "the default of -k is one of them" grep -qF '[10000]' often
holds "and says what clusters are" grep -q 'regions of similar states' often
holds "what exec: takes comes first" sh -c 'foray explore --help | sed -n "/^options:/q;p" | grep -q exec:'
holds "research has a heading of its own" \
    sh -c 'foray explore --help | sed -n "/^settings for research:/,/^$/p" | grep -q -- --inner-memory'

# Every command and option has its help, with an example and exit codes; examples
# work one after the other in an empty directory.
while read -ra command; do
    expect 0 "^usage: foray ${command[*]}" foray "${command[@]}" --help
    expect 0 "^exit codes:" foray "${command[@]}" -h
    holds "'help ${command[*]}' is '${command[*]} --help'" \
        cmp <(foray help "${command[@]}") <(foray "${command[@]}" --help)
    holds "no line of ${command[*]} --help is too long" \
        test -z "$(foray "${command[@]}" --help | grep -vE '^  \$ ' | grep -E '.{87}')"
    foray "${command[@]}" --help | sed -n 's/^  \$ //p' >"$work/examples"
    holds "${command[*]} has examples" test -s "$work/examples"
    mkdir "$work/${command[*]}" && cd "$work/${command[*]}" || exit 1
    while read -r example; do
        # A build without the compiler of WebAssembly has no playground, which test_play.sh looks at.
        [[ $example == "foray play "* && ! -e $FORAY_BUILD/web/play.wasm ]] && continue
        expect 0 "" bash -c "$example"
    done <"$work/examples"
    cd "$work/here" || exit 1
done < <(commands)
mkdir "$work/overview" && cd "$work/overview" || exit 1
while read -r example; do
    expect 0 "" bash -c "$example"
done < <(foray --help | sed -n 's/^  \$ //p')
cd "$work/here" || exit 1

holds "no line of lab list is too long" test -z "$(foray lab list | grep -E '.{87}')"

# The manual of the build is what the command prints, flag for flag, no page is long, and what shows
# manuals has nothing to say about it.
man=$FORAY_BUILD/man
bash "$source_dir/scripts/manual" "$(command -v foray)" "$work/man"
holds "the manual is that of the command" diff -r "$work/man" "$man"
holds "every command has its page, and so have foray and its algorithms" \
    test "$(find "$man" -type f | wc -l)" -eq $(($(commands | wc -l) + 2))
holds "foray(1) has at most 600 lines" test "$(wc -l <"$man/man1/foray.1")" -le 600
while read -r command; do
    page=$man/man1/foray-${command// /-}.1
    holds "no page has more than 600 lines: $page" test "$(wc -l <"$page")" -le 600
    sed -n "/^\.SH OPTIONS/,/^\.SH EXAMPLES/p" "$page" |
        sed -nE 's/^\.B (\\-[a-z], )?(\\-\\-[a-z\\-]+).*/\2/p' | tr -d "\\\\" | sort >"$work/manual"
    holds "$page has the flags of $command" cmp <(flags "$command") "$work/manual"
done < <(commands)
where_there() {
    ! command -v "$1" >/dev/null || "$@"
}
for page in "$man"/man?/*; do
    where_there groff -man -ww -z "$page"
    LC_ALL=C.UTF-8 MANWIDTH=80 where_there man --warnings -l "$page" >/dev/null
    where_there mandoc -T lint -W warning "$page"
done >warnings 2>&1
holds "nothing to say about the manual: $(head -n 3 warnings)" test ! -s warnings

# Completion in bash, called as bash would.
. "$source_dir/completions/foray.bash"
complete_line() {
    COMP_LINE=$1 COMP_POINT=${#1}
    _foray
    printf '%s\n' "${COMPREPLY[@]}" | sort
}
while read -r command; do
    holds "bash completes the flags of $command" \
        cmp <(flags "$command") <(complete_line "foray $command --")
done < <(commands)
completes() {
    local line=$1
    shift
    printf '%s\n' "$@" | sort >"$work/wanted"
    holds "bash completes '$line'" cmp "$work/wanted" <(complete_line "$line")
}
touch file.json
completes "foray w" world
completes "foray --v" --version
completes "foray world " check export list
completes "foray help model c" check convert
completes "foray explore --rad" --radius --radius-scale
completes "foray explore -a ucrl-rfe+ --rad" --radius --radius-scale --radius-scale-check \
    --radius-scale-hat --radius-scale-tilde
completes "foray explore --radius t" theorem
completes "foray explore --replan=" auto doubling every
completes "foray explore -a ucrl-r" ucrl-rfe ucrl-rfe+
completes "foray compare chain -a random,ucrl-r" random,ucrl-rfe random,ucrl-rfe+
completes "foray plan run -m p" pessimistic plugin
completes "foray plan fi" file.json
completes "foray explore riv" riverswim
completes "foray explore rooms:ro" rows=
completes "foray world export grid -o fi" file.json
completes "foray explore --no-such" ""

# Completion in zsh, with what zsh brings along replaced by printing.
cat >"$work/complete.zsh" <<'END'
compadd() { shift ${@[(i)--]}; print -l -- "$@" }
_files() { print :files }
completion=$1; shift
words=("$@") CURRENT=$#
. $completion
END
zsh_completes() {
    local line=$1
    local -a words
    shift
    read -ra words <<<"$line"
    printf '%s\n' "$@" | sort >"$work/wanted"
    zsh -f "$work/complete.zsh" "$source_dir/completions/_foray" "${words[@]}" | sort >"$work/got"
    holds "zsh completes '$line'" cmp "$work/wanted" "$work/got"
}
if command -v zsh >/dev/null; then
    zsh_completes "foray w" world
    zsh_completes "foray explore --replan=d" --replan=doubling
    zsh_completes "foray explore rooms:ro" rooms:rows=
    zsh_completes "foray plan r" :files
    while read -r command; do
        mapfile -t all < <(flags "$command")
        zsh_completes "foray $command --" "${all[@]}"
    done < <(commands)
fi
# Completion in fish, as fish does it for a line that it is given.
if command -v fish >/dev/null; then
    fish_completes() {
        local line=$1
        shift
        printf '%s\n' "$@" | sort >"$work/wanted"
        fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$source_dir/completions/foray.fish" "$line" |
            cut -f1 | sort >"$work/got"
        holds "fish completes '$line'" cmp "$work/wanted" "$work/got"
    }
    fish_completes "foray w" world
    fish_completes "foray world " check export list
    fish_completes "foray explore --replan=d" --replan=doubling
    fish_completes "foray explore rooms:ro" rooms:rows=
    fish_completes "foray plan fi" file.json
    while read -r command; do
        mapfile -t all < <(flags "$command")
        fish_completes "foray $command --" "${all[@]}"
    done < <(commands)
fi
# ---- the settings of algorithms: only where they are asked for, and all of them in the manual
for name in explore compare; do
    foray "$name" --help >help.txt
    holds "$name --help has at most 85 lines" test "$(wc -l <help.txt)" -le 85
    holds "$name --help says nothing of sstp" test "$(grep -c -- --sstp help.txt)" = 0
    expect 0 "--sstp-levels N +levels" foray "$name" -a sstp --help
    expect 0 "settings of sstp:" foray "$name" -a sstp --help
done
foray explore --help >help.txt
holds "explore --help has at most 80 columns" test -z "$(awk 'length > 80' help.txt)"
expect 0 "--pooled WHICH" foray compare -a sstp,euler --help
expect 0 "sstp\\\\-truncation\\\\-growth X" foray help --manual algorithms
bash_line() { foray help --complete -- "$@"; }
holds "flags of sstp are offered behind -a sstp" test "$(bash_line explore -a sstp --sstp-l)" = --sstp-levels
holds "and not without" test -z "$(bash_line explore --sstp-l)"
finish
