#!/bin/bash
# The command's JSON: read back by another parser, and whole or not there at all when memory ends.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

preload=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/tests/fail_memory.so

# Names that JSON must not contain as they are.
odd=$'quote" slash\\ tab\t bell\a del\x7f r\xc3\xa9sum\xc3\xa9 \xf0\x9f\x98\x80 bad\xff\xc3('
foray explore chain -k 5 -o "$odd.foray" >/dev/null
expect 0 . foray bound "$odd.foray" --json
foray verify "$odd.foray" --json >odd.json
holds "an odd name as JSON" test "$(json run odd.json)" = \
    $'"quote\\" slash\\\\ tab\\t bell\\u0007 del\x7f r\xc3\xa9sum\xc3\xa9 \xf0\x9f\x98\x80 bad??(.foray"'
holds "JSON is UTF-8" iconv -f UTF-8 -t UTF-8 odd.json

# runs_out COMMAND...: with every allocation failing in turn, alone or with all that follow, the
# command fails with nothing on standard output, or does what it does without; until none fails.
runs_out() {
    local number=1 suffix outcome ended=0
    foray "$@" --json >whole.json 2>/dev/null
    while ((ended < 2 && number < 5000)); do
        ended=0
        for suffix in '' +; do
            LD_PRELOAD=$preload FAIL_MEMORY=$number$suffix "$foray" "$@" --json >part.json 2>message
            outcome=$?
            checks=$((checks + 1))
            if ((outcome == 0)); then
                cmp -s whole.json part.json || fail "allocation $number$suffix: exit 0 and other JSON: $*"
                ended=$((ended + 1))
            elif ((outcome != 3)) || [ -s part.json ]; then
                fail "allocation $number$suffix: exit $outcome, $(wc -c <part.json) bytes of JSON: $*"
            fi
        done
        number=$((number + 1 + number / 50))
    done
    echo "    $*: $number allocations"
    holds "$*: memory suffices in the end" test "$number" -lt 5000
}
foray explore chain -k 20 -o run.foray >/dev/null
foray plan run.foray -r goal:1 >/dev/null
runs_out world list
runs_out bound run.foray
runs_out info run.foray --theta --trace
runs_out lab list

finish
