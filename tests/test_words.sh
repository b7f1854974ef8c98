#!/bin/bash
# Retired words stay out of code, messages, headers, manual and pages; and the test notices them.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

words() {
    python3 "$source_dir/tests/words.py" "$@"
}
list=$source_dir/tests/retired_words.txt
expect 0 ", 0 problems$" words "$source_dir" "$list"
sed 's/^/    /' "$work/out"

# Controls: a small tree with one retired word after the other, wherever it may hide.
mkdir tree
cp -r "$source_dir"/{src,lab,include} tree
caught() {
    expect 1 "$1" words tree "$list"
    rm -rf tree/src
    cp -r "$source_dir/src" tree
}
expect 0 ", 0 problems$" words tree "$list"
echo 'int fy_genset_count;' >>tree/src/base/base.h
caught "^src/base/base.h:[0-9]+: 'genset_' is retired: generator set"
touch tree/src/base/genset.c
caught "^src/base/genset.c:0: 'genset' is retired"
printf '/* Ten, at\n * the most. */\n' >>tree/src/base/base.h
caught "'at the most' is retired: at most"
printf 'f("ten, at "\n  "The most");\n' >>tree/src/base/base.h
caught "base.h:[0-9]+: 'at.*The most' is retired: at most"
rm tree/src/base/*
expect 0 ", 0 problems$" words tree "$list"

finish
