#!/bin/bash
# foray report in a real browser: no errors, every picture drawn on small and large
# screens, and the run's own numbers in the page.
# shellcheck source=tests/shell.sh disable=SC2317
. "$(dirname "$0")/shell.sh"
chromium=$(command -v chromium) || {
    echo "FAILED: there is no chromium (scripts/packages says what the tests need)"
    exit 1
}

# browse WIDTH FILE FLAG...: the browser, alone with one page.
browse() {
    local width=$1 file=$2
    shift 2
    rm -rf "$work/profile"
    mkdir "$work/profile"
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
        --enable-logging=stderr --virtual-time-budget=20000 --window-size="$width,1000" "$@" \
        "file://$PWD/$file" 2>"$work/browser.err"
}

# What the page under test cannot know about itself is asked by a script behind it:
# each picture's size and how many colours its pixels have, and each table's cells.
probe() {
    cat "$1"
    cat <<'END'
<script>
const lines = [`width ${innerWidth}`, `overflow ${document.documentElement.scrollWidth > innerWidth}`];
const style = document.querySelector("head style").outerHTML;
async function look(svg) {
    const box = svg.getBoundingClientRect(), copy = svg.cloneNode(true);
    copy.insertAdjacentHTML("afterbegin", style);
    const image = new Image(), canvas = document.createElement("canvas");
    image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
    await image.decode();
    canvas.width = image.width;
    canvas.height = image.height;
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const pixels = new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const inside = box.width > 100 && box.height > 20 && box.right <= innerWidth;
    lines.push(`picture ${svg.id} ${inside ? "inside" : "outside"} ${new Set(pixels).size}`);
}
(async () => {
    for (const svg of document.querySelectorAll("svg")) await look(svg);
    for (const link of document.querySelectorAll("a.download")) {
        const text = await (await fetch(link.href)).text();
        lines.push(`download ${link.download} ${text.length > 20}`);
    }
    for (const rows of document.querySelectorAll("details"))
        for (const row of rows.querySelectorAll("tr"))
            lines.push(`row ${rows.id} ` + [...row.children].map(c => c.textContent).join("|"));
    lines.push("end");
    parent.document.getElementById("probe").textContent = lines.join("\n");
})();
</script>
END
}

# framed WIDTH FILE: the page in a frame of that width, for windows have a least width.
framed() {
    printf '<!DOCTYPE html><pre id="probe"></pre><iframe width="%s" height="1000"' "$1"
    printf ' style="border:0" srcdoc="'
    probe "$2" | sed 's/&/\&amp;/g; s/"/\&quot;/g'
    printf '"></iframe>'
}
pictures_are_drawn() {
    awk '/^picture/ { n++; if ($3 != "inside" || $4 < 4) bad = 1 } END { exit bad || !n }' "$1"
}
downloads_are_filled() {
    awk '/^download/ { n++; if ($3 != "true") bad = 1 } END { exit bad || !n }' "$1"
}
visits_sum_to() {
    awk -F'|' -v want="$1" '/^row visits-data [0-9]/ { sum += $5 } END { exit sum != want }' "$2"
}

# look NAME: opens NAME.html as it is, and with the probe, at both widths.
look() {
    local name=$1 width
    browse 1600 "$name.html" --dump-dom >"$name.dom"
    holds "$name.html: the console is quiet" bash -c "! grep CONSOLE '$work/browser.err'"
    for width in 400 1600; do
        framed "$width" "$name.html" >"$name-probe.html"
        browse 1700 "$name-probe.html" --dump-dom | sed -n '/<pre id="probe">/,/^end/p' |
            sed 's/.*<pre id="probe">//' >"$name-$width.txt"
        cp "$work/browser.err" "$name-$width.err"
        holds "$name at $width: the probe came to its end" grep -q "^end" "$name-$width.txt"
        holds "$name at $width: the console is quiet" bash -c "! grep CONSOLE '$name-$width.err'"
        holds "$name at $width: the frame is that wide" grep -qx "width $width" "$name-$width.txt"
        holds "$name at $width: nothing sticks out" grep -qx "overflow false" "$name-$width.txt"
        holds "$name at $width: all pictures are looked at" test \
            "$(grep -c "^picture" "$name-$width.txt")" -eq "$(grep -c "<svg " "$name.html")"
        holds "$name at $width: every picture is on the screen, and not of one colour" \
            pictures_are_drawn "$name-$width.txt"
        holds "$name at $width: every download has something in it" \
            downloads_are_filled "$name-$width.txt"
        browse "$width" "$name.html" --screenshot="$PWD/$name-$width.png" >/dev/null
        holds "$name at $width: the screenshot is no blank page" \
            test "$(stat -c %s "$name-$width.png")" -gt 20000
    done
}

# cell TABLE ROW COLUMN: of the page as the browser has it; row 0 is the heading.
cell() {
    grep "^row $1-data " "$name-1600.txt" | sed -n "$(($2 + 1))p" | sed "s/^row $1-data //" |
        cut -d'|' -f"$3"
}
# The number in a cell is that at a path of the run's JSON.
same_number() {
    local got wanted
    got=$(cell "$1" "$2" "$3")
    wanted=$(json "$4" run.json)
    holds "$name: row $2 of $1 has $4: $got, $wanted" \
        awk -v a="$got" -v b="$wanted" 'BEGIN { exit !(a != "" && a + 0 == b + 0) }'
}
check_numbers() {
    local i
    expect 0 "" foray info "$name.foray" --theta --trace --json
    cp "$work/out" run.json
    for i in 0 1 2 3; do
        same_number theta $((i + 1)) 2 "theta.estimate.$i"
        same_number theta $((i + 1)) 5 "theta.half_width.$i"
        same_number theta $((i + 1)) 6 "theta.truth.$i"
        same_number trace $((i + 1)) 1 "trace.$i.episodes"
        same_number trace $((i + 1)) 2 "trace.$i.plans"
        same_number trace $((i + 1)) 3 "trace.$i.bound"
    done
    for i in 0 1; do
        same_number plans $((i + 1)) 4 "plans.$i.episodes"
        same_number plans $((i + 1)) 8 "plans.$i.certificate.gap"
    done
    # Every step of every episode is a visit.
    holds "$name: visits are episodes times steps" visits_sum_to "$1" "$name-1600.txt"
}

# The test of the test: a page with an error is noticed.
printf '<!DOCTYPE html><title>x</title><script>undefined_thing()</script>' >wrong.html
browse 400 wrong.html --dump-dom >/dev/null
holds "errors on the console are noticed" grep -q "CONSOLE.*undefined_thing" "$work/browser.err"

name=rooms
expect 0 "" foray explore rooms -k 3000 -o rooms.foray
expect 0 "" foray plan rooms.foray -r goal:0 -r goal:80 -m plugin
expect 0 "page +rooms.html" foray report rooms.foray -o rooms.html
look rooms
check_numbers $((3000 * 30))

name=inventory
expect 0 "" foray explore inventory -k 1000 -o inventory.foray
expect 0 "" foray plan inventory.foray -r goal:2 -r goal:5
expect 0 '"page": "inventory.html"' foray report inventory.foray -o inventory.html --json
look inventory
check_numbers $((1000 * 20))

# The command in the page makes the run again, number for number.
sed -n '/<pre id="command">/,/<\/pre>/p' rooms.html | sed 's/<[^>]*>//g' >again.sh
mkdir again && cd again || exit 1
expect 0 "" bash ../again.sh
expect 0 "" foray report rooms.foray -o rooms.html
holds "the page's commands bring back the page" \
    cmp <(grep -v "<dt>created" ../rooms.html) <(grep -v "<dt>created" rooms.html)
cd ..

# Refusals.
expect 2 "say with -o" foray report rooms.foray
expect 3 "nowhere" foray report nowhere.foray -o page.html
expect 3 "" foray report rooms.foray -o no/such/page.html
expect 5 "" foray report rooms.html -o page.html
holds "nothing was written in vain" test ! -e page.html
finish
