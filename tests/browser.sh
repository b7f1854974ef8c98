# shellcheck shell=bash disable=SC2154
# What the tests of pages in a real browser share; source it after shell.sh.
for program in chromium chromedriver node; do
    command -v $program >/dev/null || {
        echo "FAILED: there is no $program (scripts/packages says what the tests need)"
        exit 1
    }
done

pictures_are_drawn() {
    awk '/^picture/ { n++; if ($3 != "inside" || $4 < 4) bad = 1 } END { exit bad || !n }' "$1"
}
downloads_are_filled() {
    awk '/^download/ { n++; if ($3 != "true") bad = 1 } END { exit bad || !n }' "$1"
}

# look NAME...: opens each NAME.html at both widths, all in one browser (tests/pages.mjs).
look() {
    local name width
    # The test of the test: a page with an error is noticed.
    printf '<!DOCTYPE html><title>x</title><script>undefined_thing()</script>' >wrong.html
    expect 0 "" timeout 300 node "$source_dir/tests/pages.mjs" wrong "$@"
    holds "errors on the console are noticed" grep -q undefined_thing wrong-400.console
    for name in "$@"; do
        for width in 400 1600; do
            look_at_width "$name" "$width" "$name-$width.txt"
        done
        holds "$name at 400: the screenshot is no blank page" test "$(stat -c %s "$name-400.png")" -gt 20000
    done
}
look_at_width() {
    holds "$1 at $2: the probe came to its end" grep -qx end "$3"
    holds "$1 at $2: the console is quiet" cmp "$1-$2.console" /dev/null
    holds "$1 at $2: the window is that wide" grep -qx "width $2" "$3"
    holds "$1 at $2: nothing sticks out" grep -qx "overflow false" "$3"
    holds "$1 at $2: all pictures are looked at" test \
        "$(grep -c "^picture" "$3")" -eq "$(grep -c "<svg xmlns" "$1.html")"
    holds "$1 at $2: every picture is on the screen, and not of one colour" pictures_are_drawn "$3"
    holds "$1 at $2: every download has something in it" downloads_are_filled "$3"
}

# cell TABLE ROW COLUMN: of the page as the browser has it; row 0 is the heading.
cell() {
    grep "^row $1-data " "$name-1600.txt" | sed -n "$(($2 + 1))p" | sed "s/^row $1-data //" |
        cut -d'|' -f"$3"
}

# csv FILE: what the page offers as a file of that name, as the browser has it.
csv() {
    cat "$name-files/$1"
}
# shown TABLE: a table to be read, as CSV without quotes.
shown() {
    grep "^shown $1-table " "$name-1600.txt" | sed "s/^shown $1-table //; s/|/,/g"
}
