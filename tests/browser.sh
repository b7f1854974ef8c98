# shellcheck shell=bash disable=SC2154,SC2034
# What the tests of pages in a real browser share; source it after shell.sh.
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
# each picture's size and how many colours its pixels have, each table's cells (rounded
# numbers have all their digits in the title), and what is behind each download.
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
    for (const svg of document.querySelectorAll("svg:not(.key)")) await look(svg);
    for (const link of document.querySelectorAll("a.download")) {
        const text = await (await fetch(link.href)).text();
        lines.push(`download ${link.download} ${text.length > 20}`);
        for (const line of text.trimEnd().split("\n")) lines.push(`csv ${link.download} ${line}`);
    }
    for (const rows of document.querySelectorAll("details"))
        for (const row of rows.querySelectorAll("tr"))
            lines.push(`row ${rows.id} ` + [...row.children].map(c => c.textContent).join("|"));
    for (const table of document.querySelectorAll("div[id$=-table]"))
        for (const row of table.querySelectorAll("tr"))
            lines.push(`shown ${table.id} ` + [...row.children].map(c => c.title || c.textContent).join("|"));
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
            "$(grep -c "^picture" "$name-$width.txt")" -eq "$(grep -c "<svg xmlns" "$name.html")"
        holds "$name at $width: every picture is on the screen, and not of one colour" \
            pictures_are_drawn "$name-$width.txt"
        holds "$name at $width: every download has something in it" \
            downloads_are_filled "$name-$width.txt"
    done
    browse 400 "$name.html" --screenshot="$PWD/$name-400.png" >/dev/null
    holds "$name at 400: the screenshot is no blank page" test "$(stat -c %s "$name-400.png")" -gt 20000
}

# cell TABLE ROW COLUMN: of the page as the browser has it; row 0 is the heading.
cell() {
    grep "^row $1-data " "$name-1600.txt" | sed -n "$(($2 + 1))p" | sed "s/^row $1-data //" |
        cut -d'|' -f"$3"
}

# csv FILE: what the page offers as a file of that name, as the browser has it.
csv() {
    grep "^csv $1 " "$name-1600.txt" | sed "s/^csv $1 //; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\\&/g"
}
# shown TABLE: a table to be read, as CSV without quotes.
shown() {
    grep "^shown $1-table " "$name-1600.txt" | sed "s/^shown $1-table //; s/|/,/g"
}

# The test of the test: a page with an error is noticed.
printf '<!DOCTYPE html><title>x</title><script>undefined_thing()</script>' >wrong.html
browse 400 wrong.html --dump-dom >/dev/null
holds "errors on the console are noticed" grep -q "CONSOLE.*undefined_thing" "$work/browser.err"
