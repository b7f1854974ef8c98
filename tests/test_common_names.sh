#!/bin/bash
# Static functions of one name stay out of more than five files; and the test notices them.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

names() {
    python3 "$source_dir/tests/common_names.py" "$@"
}
expect 0 ", 0 problems$" names "$source_dir"
sed 's/^/    /' "$work/out"

# Controls: five files may share a name, however it is written, and six may not.
mkdir -p tree/src tree/lab
cp -r "$source_dir"/src/{base,reward,run} tree/src
cp -r "$source_dir"/lab/draw tree/lab
share_name() {
    for file in "$@"; do
        printf 'static inline __attribute__((cold)) int\nshared_name(int i)\n{\n}\n' >>"tree/$file"
    done
}
share_name src/base/{csv,json,format}.c src/reward/reward.c lab/draw/svg.c
printf 'static int shared_name = 1;\nstatic int (*shared)(int);\n' >>tree/src/run/run.h
expect 0 ", 0 problems$" names tree
share_name src/base/base.h
expect 1 "^'shared_name' is a static function in 6 files, name its subject: src/base/base.h src/" names tree
finish
