#!/bin/bash
# The folders know whom CONTRIBUTING.md says, by includes and by symbols; and the test notices if not.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

objects=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/CMakeFiles
graph() {
    python3 "$source_dir/tests/graph.py" "$@"
}

expect 0 ", 0 problems$" graph "$source_dir" "$objects" "$source_dir/CONTRIBUTING.md"
sed 's/^/    /' "$work/out"

walks() {
    python3 "$source_dir/tests/walks.py" "$source_dir" "$1"
}
expect 0 ", 0 problems$" walks "$source_dir/docs/architecture.md"
sed '/^fy_play_steps /d' "$source_dir/docs/architecture.md" >walks.md
expect 1 "foray_explorer_play does not call foray_explorer_observe" walks walks.md
sed 's/^fy_plan_step  /fy_plane_step  /; s/`src\/learn\/`/`src\/teach\/`/' "$source_dir/docs/architecture.md" >walks.md
expect 1 "fy_plane_step is not defined in src/plan/plan.c" walks walks.md
expect 1 "the page describes src/teach, which does not exist" walks walks.md
sed 's/^fy_ridge_update  /fy_bridge_update  /' "$source_dir/docs/architecture.md" >walks.md
expect 1 "fy_bridge_update is not defined in src/learn/ridge.c" walks walks.md

# Controls: copies of the tree, the objects and the page with one thing changed each.
mkdir tree
cp -r "$source_dir"/{src,lab,cli,include} tree
cp "$source_dir/CONTRIBUTING.md" page.md
mkdir objects
cp -rs "$objects"/{libforay,libforay-lab,foray}.dir objects
caught() {
    expect 1 "$1" graph tree objects page.md
    rm -rf tree/src page.md objects/libforay.dir/src/plan/added.c.o
    cp -r "$source_dir/src" tree
    cp "$source_dir/CONTRIBUTING.md" page.md
}
expect 0 ", 0 problems$" graph tree objects page.md

echo '#include "run/run.h"' >>tree/src/plan/plan.c
caught "plan knows run, and the page does not say so: src/plan/plan.c includes src/run/run.h"
echo '#include "world/world.h"' >>tree/src/learn/ridge.c
caught "learn/ridge.c includes src/world/world.h: learning and planning know nothing of worlds"
echo '#include "draw/svg.h"' >>tree/src/base/context.c
caught "base/context.c includes lab/draw/svg.h: libforay knows nothing of libforay-lab"
echo '#include "model/model.h"' >>tree/src/base/context.c
caught "^base is part of a cycle"
echo '#include "nowhere.h"' >>tree/src/base/context.c
caught "includes nowhere.h, which is nowhere"
mkdir tree/src/folder
touch tree/src/folder/file.c
caught "the page does not list folder"

added_symbol() {
    echo "extern int $1; int *added(void); int *added(void) { return &$1; }" >added.c
    "${CC:-cc}" -c added.c -o objects/libforay.dir/src/plan/added.c.o
}
added_symbol foray_run_open
caught "plan knows run, and the page does not say so: src/plan/added.c uses foray_run_open"
added_symbol sqlite3_open
caught "src/plan/added.c uses sqlite3_open, which only run may"
added_symbol cli_fail
caught "src/plan/added.c uses cli_fail: only the command knows the command"
added_symbol stdout
caught "src/plan/added.c uses stdout$"

sed -i 's/^plan  .*/& run/' page.md
caught "plan does not know run, and the page says it does"
sed -i 's/^plan  .*/plan base/' page.md
caught "plan knows learn, and the page does not say so"
sed -i 's/^plan  .*/&\nelsewhere base/' page.md
caught "the page lists elsewhere, which does not exist"

finish
