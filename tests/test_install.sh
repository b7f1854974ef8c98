#!/usr/bin/env bash
# What cmake --install leaves is enough for a program outside the tree: a static
# and a shared library, each found through pkg-config and through find_package, by
# whichever compiler.
#
#   test_install.sh FORAY [static]      static: only that library, as it is in FORAY_BUILD
set -euo pipefail

source_tree=${FORAY_SOURCE:?} build=${FORAY_BUILD:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "test_install: $*" >&2
    exit 1
}

# The program must run and see the library that was installed.
expect_hello() {
    local output
    output=$("$1") || fail "$1 does not run"
    [[ $output == "Foray "*", "*" states" ]] || fail "$1 printed '$output'"
}

link_with_pkg_config() {
    local prefix=$1 compiler=$2
    # shellcheck disable=SC2046 # flags are words
    "$compiler" "$source_tree/tests/install/hello.c" -o "$prefix/hello-$compiler" \
        $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs foray) \
        -Wl,-rpath,"$prefix/lib"
    expect_hello "$prefix/hello-$compiler"
}

link_with_cmake() {
    local prefix=$1 compiler=$2
    cmake -S "$source_tree/tests/install" -B "$prefix/build-$compiler" -G Ninja \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler"
    cmake --build "$prefix/build-$compiler"
    expect_hello "$prefix/build-$compiler/hello"
}

check_files() {
    local prefix=$1 file
    for file in bin/foray include/foray/foray.h include/foray/system.h include/foray/plugin.h \
        include/foray/lab.h lib/pkgconfig/foray-lab.pc \
        share/foray/foray_world.py share/foray/serve.c share/man/man1/foray.1 \
        share/man/man1/foray-explore.1 share/man/man7/foray-algorithms.7 \
        share/bash-completion/completions/foray share/zsh/site-functions/_foray \
        share/fish/vendor_completions.d/foray.fish share/doc/foray/LICENSE; do
        [[ -s $prefix/$file ]] || fail "$file was not installed"
    done
    "$prefix/bin/foray" --version >/dev/null || fail "the installed command does not run"
}

# What was installed is enough to make a world of one's own, as a plug-in and as a program.
make_a_world() {
    local prefix=$1 world=$source_tree/examples/outside/stockroom.c
    cc -shared -fPIC -I"$prefix/include" "$world" -o "$prefix/world.so"
    cc -I"$prefix/include" "$world" "$prefix/share/foray/serve.c" -o "$prefix/world"
    "$prefix/bin/foray" world check "plugin:$prefix/world.so" >/dev/null || fail "no plug-in"
    "$prefix/bin/foray" world check "exec:$prefix/world" >/dev/null || fail "no program"
}

try_prefix() {
    local compiler
    for compiler in gcc clang; do
        link_with_pkg_config "$1" "$compiler"
        link_with_cmake "$1" "$compiler"
    done
    check_files "$1"
    make_a_world "$1"
}

# What was installed last is removed; what lies beside it stays.
try_uninstall() {
    cmake --install "$build" --prefix "$scratch/gone"
    [[ -x $scratch/gone/bin/foray ]] || fail "no command"
    touch "$scratch/gone/bin/mine"
    cmake --build "$build" --target uninstall
    [[ $(find "$scratch/gone" ! -type d) == "$scratch/gone/bin/mine" ]] || fail "uninstall leaves files"
    if cmake --build "$build" --target uninstall; then
        fail "nothing is installed, and uninstall does not say so"
    fi
}

# Moved after installing: nothing in it may depend on where it was put first.
cmake --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/static"
try_uninstall
[[ -e $scratch/static/lib/libforay.a ]] || fail "no static library"
try_prefix "$scratch/static"
if [[ ${2:-} == static ]]; then
    exit 0
fi

# The shared library stays in the build tree, so that a second run is quick. How fast it is
# does not matter here: without optimising it is built in a third of the time.
cmake -S "$source_tree" -B "$build/shared" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DBUILD_SHARED_LIBS=ON -DFORAY_TESTS=OFF -DFORAY_BENCH=OFF -DFORAY_PLAY=OFF
cmake --build "$build/shared" --target foray
cmake --install "$build/shared" --prefix "$scratch/shared"
[[ -e $scratch/shared/lib/libforay.so ]] || fail "no shared library"
[[ -e $scratch/shared/lib/libforay.so.0.1 ]] || fail "the name of the library has no minor version"
# Whoever links a shared library does not need what the library itself needs.
line=$(PKG_CONFIG_PATH="$scratch/shared/lib/pkgconfig" pkg-config --libs foray)
[[ ! $line =~ sqlite ]] || fail "the link line of the shared library is '$line'"
try_prefix "$scratch/shared"

# As a part of another project it is the two libraries and nothing else: no tests, no benchmarks, no
# command, and nothing is installed with that project.
cmake -S "$source_tree/tests/install" -B "$build/part" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DFORAY_TREE="$source_tree"
cmake --build "$build/part" --target hello
expect_hello "$build/part/hello"
others=$(ninja -C "$build/part" -t targets all | grep -E '(test_|bench_|/foray: |quickstart)' || true)
[[ -z $others ]] || fail "a project that contains Foray builds $others"
cmake --install "$build/part" --prefix "$scratch/part"
[[ ! -e $scratch/part ]] || fail "a project that contains Foray installs it"

# Only the public interface leaves the shared libraries; what the lab shares with the library
# it was built with carries a version that keeps everybody else out.
for library in libforay libforay-lab; do
    leaked=$(nm -D --defined-only "$scratch/shared/lib/$library.so" |
        awk '$3 !~ /^foray_.*@@FORAY_0$/ && $3 !~ /^fy_.*@@FORAY_PRIVATE$/ && $2 != "A" { print $3 }')
    [[ -z $leaked ]] || fail "$library exports $leaked"
done
