#!/usr/bin/env bash
# test_libm.sh FORAY - the same bits everywhere: no object of the libraries or of the command
# calls a function of libm that rounds, but for sqrt and fma, which round alike everywhere
# (src/base/maths.h has the others); the tables there are what their script makes; and no object
# of the libraries but src/base/number.c turns numbers into texts, or texts
# into numbers, with functions of libc, which ask the locale.
set -euo pipefail

foray=$1
libm=$(gcc -print-file-name=libm.so.6)
may=(sqrt fma # correctly rounded by IEEE 754
    fabs copysign fmin fmax floor ceil trunc rint nearbyint round lrint llrint lround llround
    fegetenv fesetenv # which keep how numbers are rounded
    ldexp scalbn scalbln frexp modf ilogb logb fmod remainder nextafter)
failures=0

# What an archive, an object or a program takes from libm that it may not.
libm_calls() {
    local symbols=(nm --undefined-only)
    [[ $1 == *.a ]] || symbols+=(-D)
    comm -12 <("${symbols[@]}" "$1" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u) \
        <(nm -D --defined-only "$libm" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u) |
        grep -vxF -f <(printf '%s\n' "${may[@]}") || true
}

# A test that calls log and exp shows that they would be found.
if [[ $(libm_calls "$FORAY_BUILD/tests/test_maths") != *exp*log* ]]; then
    echo "FAILED: the calls of test_maths are not seen"
    failures=1
fi
for object in "$foray" "$FORAY_BUILD"/libforay*; do
    calls=$(libm_calls "$object")
    if [[ -n $calls ]]; then
        echo "FAILED: $object calls" "$calls"
        failures=1
    fi
done

# "object function" for all that the objects of an archive take from libc and may not.
locale_calls() {
    nm -A --undefined-only "$1" | awk -F: '{ print $(NF-1), $NF }' | awk '{ print $1, $NF }' |
        grep -E ' (v?(f|d|s|sn|as)?printf(_chk)?|__v?(f|d|s|sn|as)printf_chk|strto(d|f|ld)|ato(f|i|l)|(__isoc99_|__isoc23_)?v?s?f?scanf|strfrom(d|f|l)|setlocale|localeconv|strcoll|tolower|toupper|strn?casecmp|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc|to(w)?(lower|upper))$' || true
}
for archive in "$FORAY_BUILD"/libforay*.a; do
    calls=$(locale_calls "$archive")
    if [[ $archive == *libforay.a && $calls != *number.c.o*strtod* ]]; then
        echo "FAILED: the calls of number.c are not seen"
        failures=1
    fi
    calls=$(grep -v '^number\.c\.o ' <<<"$calls" || true)
    if [[ -n $calls ]]; then
        echo "FAILED: $archive depends on the locale:" "$calls"
        failures=1
    fi
done

cd "$FORAY_SOURCE"
if ! scripts/maths_coefficients.py | cmp - src/base/maths_tables.h; then
    echo "FAILED: src/base/maths_tables.h is not what scripts/maths_coefficients.py prints"
    failures=1
fi
exit $failures
