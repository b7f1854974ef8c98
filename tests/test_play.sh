#!/bin/bash
# foray play: what it writes and refuses; and in a real browser, the page itself.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

expect 0 "" foray explore rooms -k 2000 -o rooms.foray
expect 0 "" foray explore inventory -k 300 -o inventory.foray
cat >hostile.json <<'JSON'
{"format":"foray-model","version":1,"name":"</script><img src=x onerror=alert(1)>","states":2,"actions":2,"horizon":3,
 "dim":2,"norm_bound":1.5,"initial":[[0,1]],"theta":[1,1],
 "state_names":["<b>0</b>","\"><script>alert(2)</script>"],"action_names":["<i>","</script>"],
 "features":[[0,0,0,[[0,0.5]]],[0,0,1,[[1,0.5]]],[0,1,0,[[1,0.5]]],[0,1,1,[[0,0.5]]],[1,0,0,[[0,0.5]]],[1,0,1,[[1,0.5]]],
             [1,1,0,[[1,0.5]]],[1,1,1,[[0,0.5]]]]}
JSON
expect 0 "" foray explore pendulum --clusters grid:5x5 --draws 20 -k 5 -o pendulum.foray
# Data from elsewhere: the model is told, and the world is not there.
expect 0 "" foray data rooms.foray -o data.csv
expect 0 "" foray world export rooms -o rooms.json
expect 0 "" foray learn rooms.json data.csv -o learnt.foray
expect 0 "" foray explore hostile.json -k 50 -o hostile.foray
# A program of which nothing is known but its sizes.
expect 0 "" foray explore "exec:python3 $source_dir/examples/outside/lake.py" -k 200 -o lake.foray
expect 0 "" foray data lake.foray -o lake.csv

if ! foray play rooms.foray -o rooms.html >"$work/out" 2>"$work/err"; then
    # Without the compiler of WebAssembly everything else works, and the message names packages.
    holds "what is missing is named" grep -q "install clang, lld, llvm, wasi-libc" "$work/err"
    holds "nothing is written" test ! -e rooms.html
    echo "skipped: no playground in this build"
    finish
fi
expect 0 "page +inventory.html" foray play inventory.foray -o inventory.html
expect 0 "" foray play hostile.foray -o hostile.html
expect 0 "" foray play pendulum.foray -o pendulum.html
expect 0 "" foray play learnt.foray -o learnt.html
expect 0 "" foray play lake.foray -o lake.html
expect 0 "" foray explore rooms:rows=6,cols=6,horizon=10 -k 2000 -o part.foray
expect 0 "" foray play part.foray --reachable -o part.html
expect 0 "" foray play chain:states=1000000 --reachable -o chain.html
expect 0 '"page": "world.html"' foray play rooms -o world.html --json
holds "a page without a run has at most 550 kB" test "$(stat -c %s world.html)" -le 550000
holds "names cannot end a script" test "$(grep -c '</script>' hostile.html)" -eq "$(grep -c '</script>' world.html)"

# Refusals.
expect 2 "-o is required" foray play rooms.foray
expect 3 "nowhere" foray play nowhere.foray -o page.html
expect 3 "explore it first" foray play pendulum -o page.html
expect 3 "no theta" foray play unstructured:states=3,actions=2,horizon=4 -o page.html
expect 2 "too large for a page.*--reachable shows the part" foray play chain:states=1000000 -o page.html
holds "nothing was written in vain" test ! -e page.html

for program in chromium chromedriver node; do
    if ! command -v $program >/dev/null; then
        echo "skipped: there is no $program to open the page with (scripts/packages says what the tests need)"
        finish
    fi
done
# FORAY_BROWSER=firefox: the same in another browser, which scripts/look asks for.
node "$source_dir/tests/play.mjs" "$foray" "${FORAY_BROWSER:-chromium}" || fail "the page in a browser"
finish
