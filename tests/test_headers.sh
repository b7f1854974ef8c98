#!/bin/bash
# Every public header compiles alone, and all of them together in either order, as C99, C17, C++11
# and C++20, with every compiler that is installed, without a warning; and what C++ calls are the
# functions of the library, not mangled names. The test notices if not.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

headers="foray system lab plugin"
compile() {
    local compiler=$1 standard=$2 file=$3
    "$compiler" -std="$standard" -pedantic -Wall -Wextra -Werror -I"${include:-$source_dir/include}" \
        -fsyntax-only "$file"
}

# try COMPILER LANGUAGE STANDARD...: all of them, if the compiler is there.
try() {
    local compiler=$1 language=$2 header standard
    shift 2
    command -v "$compiler" >/dev/null || return
    for standard in "$@"; do
        for header in $headers; do
            echo "#include \"foray/$header.h\"" >"$header.$language"
            expect 0 "" compile "$compiler" "$standard" "$header.$language"
        done
        cat foray.$language system.$language lab.$language plugin.$language >all.$language
        expect 0 "" compile "$compiler" "$standard" "all.$language"
        cat plugin.$language lab.$language system.$language foray.$language >all.$language
        expect 0 "" compile "$compiler" "$standard" "all.$language"
    done
}
try gcc c c99 c17
try clang c c99 c17
try g++ cpp c++11 c++20
try clang++ cpp c++11 c++20
echo "$checks headers compiled"

# In C++ the functions have C names.
cat >calls.cpp <<'END'
#include "foray/lab.h"
int main()
{
    foray_context *ctx = foray_context_create();
    foray_model *model = nullptr;
    foray_status status = foray_model_builtin(ctx, "chain", &model);
    foray_mode mode = FORAY_PLUGIN;
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return status == FORAY_OK && foray_mode_name(mode) && foray_mode_name(FORAY_PLUGIN) ? 0 : 1;
}
END
if command -v g++ >/dev/null; then
    expect 0 "" g++ -std=c++11 -I"$source_dir/include" -c calls.cpp -o calls.o
    expect 0 " U foray_model_builtin$" nm calls.o
fi

# Controls: what a strict compiler refuses, it refuses here.
cp -r "$source_dir/include" strict
include=$work/here/strict
sed -i 's/^#endif$//; $a int foray_nothing[0];\n#endif' strict/foray/plugin.h
expect 1 "" compile gcc c17 plugin.c
cp "$source_dir/include/foray/plugin.h" strict/foray/
sed -i 's/#include "foray\/foray.h"//' strict/foray/system.h
expect 1 "" compile gcc c17 system.c
finish
