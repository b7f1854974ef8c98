#!/bin/bash
# A command killed (SIGKILL) while it writes a new file leaves no half of it under another name.
model=$(realpath "$(dirname "$0")/../fuzz/corpus/fuzz_model_json/mixture.json")
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

preload=$(realpath "${FORAY_BUILD:-$(dirname "$foray")}")/tests/die_writing.so
expect 0 "" foray model convert "$model" whole.compact
for number in 1 2 3 4 5 6; do
    for suffix in '' / +; do
        rm -rf scene && mkdir scene
        LD_PRELOAD=$preload DIE_AT=$number$suffix "$foray" model convert "$model" scene/m.compact \
            >/dev/null 2>&1
        holds "killed at $number$suffix: nothing beside the model" \
            test -z "$(find scene -name 'm.compact?*')"
        if [[ -e scene/m.compact ]]; then
            holds "killed at $number$suffix: the model is whole" cmp whole.compact scene/m.compact
        fi
    done
done
finish
