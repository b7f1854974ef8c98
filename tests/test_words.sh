#!/bin/bash
# Retired words stay out of code, messages, headers, manual and pages, and static functions of one
# name out of more than five files; and the test notices them.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

words() {
    python3 "$source_dir/tests/words.py" "$@"
}
list=$source_dir/tests/retired_words.txt
expect 0 ", 0 problems$" words "$source_dir" "$list"
sed 's/^/    /' "$work/out"

# Controls: a small tree with one retired word after the other, wherever it may hide.
plant() {
    rm -rf tree
    mkdir -p tree/src tree/lab
    cp -r "$source_dir"/src/{base,plan,run} tree/src
    cp -r "$source_dir"/lab/draw tree/lab
}
caught() {
    expect 1 "$1" words tree "$list"
    plant
}
plant
expect 0 ", 0 problems$" words tree "$list"
echo 'int fy_genset_count;' >>tree/src/base/base.h
caught "^src/base/base.h:[0-9]+: 'genset_' is retired: generator set"
touch tree/src/base/genset.c
caught "^src/base/genset.c:0: 'genset' is retired"
printf '/* Ten, at\n * the most. */\n' >>tree/src/base/base.h
caught "'at the most' is retired: at most"
printf 'f("ten, at "\n  "The most");\n' >>tree/src/base/base.h
caught "base.h:[0-9]+: 'at.*The most' is retired: at most"

# The same for a static name: five files may share it, however it is written, and six may not.
share_name() {
    for file in "$@"; do
        printf 'static inline __attribute__((cold)) int\nshared_name(int i)\n{\n}\n' >>"tree/$file"
    done
}
share_name src/base/{csv,json,format}.c src/plan/reward.c lab/draw/svg.c
printf 'static int shared_name = 1;\nstatic int (*shared)(int);\n' >>tree/src/run/run.h
expect 0 ", 0 problems$" words tree "$list"
share_name src/base/base.h
caught "^'shared_name' is a static function in 6 files, name its subject: src/base/base.h src/"
expect 0 ", 0 problems$" words tree "$list"

finish
