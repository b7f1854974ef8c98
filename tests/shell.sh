# shellcheck shell=bash disable=SC2034
# What the scripts that test the command share: source it first.
# $1 is the command; the work happens in a directory of its own.
set -u
foray=$(realpath "$1")
source_dir=$(realpath "${FORAY_SOURCE:-$(dirname "${BASH_SOURCE[0]}")/..}")
FORAY_BUILD=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}") # from here on in another directory
json_check=$FORAY_BUILD/tests/json_check
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/here"
ln -s "$foray" "$work/bin/foray"
PATH=$work/bin:$PATH
cd "$work/here" || exit 1
failures=0
checks=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# expect CODE PATTERN COMMAND...: the exit code, and an extended regular
# expression that standard output and error together must match ("": anything).
expect() {
    local code=$1 pattern=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    local got=$?
    checks=$((checks + 1))
    if [ $got -ne "$code" ]; then
        fail "exit code $got, not $code: $*"
        sed 's/^/    /' "$work/out" "$work/err" | head -20
    elif [ -n "$pattern" ] && ! cat "$work/out" "$work/err" | grep -qE -- "$pattern"; then
        fail "no /$pattern/ in what this printed: $*"
        sed 's/^/    /' "$work/out" "$work/err" | head -20
    fi
}

# "world list", "explore", ...: every command that help lists.
commands() {
    { foray --help; foray lab --help; } | sed -nE 's/^  ([a-z]+( [a-z]+)?)  .*/\1/p' | sort -u
}

# What else must hold: holds WHAT COMMAND...
holds() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || fail "$what"
}

# appears FILE: waits until something that runs beside this has made a file (at most half a minute).
appears() {
    for _ in $(seq 600); do
        [ -e "$1" ] && return
        sleep 0.05
    done
    fail "$1 does not appear"
}

# json PATH FILE: the value at a path of the JSON object in a file, or "none".
json() {
    "$json_check" "$1" <"$2" || echo none
}

# same_files ONE OTHER FILE...: are these files the same in two directories?
same_files() {
    local one=$1 other=$2 file
    shift 2
    for file in "$@"; do
        cmp "$one/$file" "$other/$file" || return 1
    done
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
    exit
}
