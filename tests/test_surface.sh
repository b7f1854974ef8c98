#!/bin/bash
# Every public function has a user outside of the libraries: the Python package, the playground, an
# example, the command, or a page for those who embed Foray. Lists how many users each has with
# FORAY_LIST=1; and the test notices if one has none.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

surface() {
    python3 - "$source_dir" "$1" <<'END'
import pathlib, re, sys

source, include = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
users = {
    "python": [p for p in source.glob("python/foray/*.py") if p.name != "_library.py"],
    "playground": source.glob("web/*.c"),
    "examples": source.glob("examples/**/*.[ch]"),
    "pages": [source / "docs/api.md", source / "docs/rewards.md", source / "docs/play.md"],
    "command": source.glob("cli/*.[ch]"),
}
named = {user: set().union(*(re.findall(r"\bforay_\w+", path.read_text()) for path in paths))
         for user, paths in users.items()}
functions = 0
for header in sorted(include.glob("foray/*.h")):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    # Inline functions of the header use what is declared before them.
    inside = set(re.findall(r"\bforay_\w+", " ".join(re.findall(r"^{.*?^}", text, re.S | re.M))))
    for name in re.findall(r"FORAY_API[^;{]*?\b(foray_\w+)\s*\(", text):
        who = [user for user in users if name in named[user]] + ["headers"] * (name in inside)
        functions += 1
        print(f"{name}: {', '.join(who) or 'nobody'} ({header.name})")
print(f"{functions} public functions")
sys.exit(functions > 215)
END
}

expect 0 "^[0-9]+ public functions$" surface "$source_dir/include"
[[ -n ${FORAY_LIST:-} ]] && cat "$work/out"
tail -1 "$work/out"; cp "$work/out" list
expect 1 "" grep -F ": nobody" list

# Control: a function that nobody uses is found.
cp -r "$source_dir/include" more
sed -i 's/^FORAY_API void foray_context_destroy/FORAY_API void foray_nobody_asked(void);\n&/' more/foray/foray.h
expect 0 "^foray_nobody_asked: nobody" surface "$PWD/more"
finish
