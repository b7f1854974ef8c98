#!/usr/bin/env python3
"""Computes the tables of src/base/maths_tables.h from their definitions, in 100 digits:

    scripts/maths_coefficients.py > src/base/maths_tables.h

Needs nothing but Python. tests/test_libm.sh checks that the file is what this prints.
"""
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from math import comb

getcontext().prec = 100
ONE, TWO = Decimal(1), Decimal(2)


# ------------------------------------------------------------------ functions in 100 digits

def arctan_of_inverse(n):
    """arctan(1/n) = sum_k (-1)^k / ((2k+1) n^(2k+1))"""
    total, power, k = Decimal(0), ONE / n, 0
    while power > Decimal(10) ** -420:
        total += (-1) ** k * power / (2 * k + 1)
        power /= n * n
        k += 1
    return total


with localcontext() as wide:
    wide.prec = 420  # 2/pi is needed to 1216 binary places
    PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)
    TWO_OVER_PI = int(2 / PI * 2 ** 1216)
PI = +PI
LN2 = TWO.ln()


def sine_and_cosine(x):
    """The imaginary and the real part of exp(ix), by its series"""
    parts, term = [Decimal(0), Decimal(0)], ONE
    for k in range(80):
        parts[k % 2] += term if k % 4 < 2 else -term
        term *= x / (k + 1)
    return parts[1], parts[0]


def bernoulli(most):
    """B_0 ... B_most from sum_{k<=n} C(n+1,k) B_k = 0"""
    numbers = [Fraction(1)]
    for n in range(1, most + 1):
        numbers.append(-sum(comb(n + 1, k) * b for k, b in enumerate(numbers)) / (n + 1))
    return numbers


BERNOULLI = [Decimal(b.numerator) / b.denominator for b in bernoulli(80)]


def elementary(x):
    """The part of log Gamma(x) that grows"""
    return (x - ONE / 2) * x.ln() - x + (2 * PI).ln() / 2


def log_gamma(x):
    """Stirling's series, elementary(x) + sum_k B_2k / (2k (2k-1) x^(2k-1)), where it is exact to
    70 digits and more, and log Gamma(x) = log Gamma(x+n) - log(x (x+1) ... (x+n-1)) below"""
    product = ONE
    while x < 40:
        product *= x
        x += 1
    series = sum(BERNOULLI[2 * k] / (2 * k * (2 * k - 1)) / x ** (2 * k - 1) for k in range(1, 41))
    return elementary(x) + series - product.ln()


def fit(f, low, high, degree):
    """The polynomial that equals f in the Chebyshev points of an interval, almost the best one of
    its degree: divided differences, then multiplied out"""
    count = degree + 1
    middle, radius = (low + high) / 2, (high - low) / 2
    points = [middle + radius * sine_and_cosine(PI * (2 * i + 1) / (2 * count))[1]
              for i in range(count)]
    newton = [f(x) for x in points]
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            newton[i] = (newton[i] - newton[i - 1]) / (points[i] - points[i - order])
    result = [Decimal(0)] * count
    for i in range(count - 1, -1, -1):  # result = result (x - points[i]) + newton[i]
        result = [(result[k - 1] if k else newton[i]) - points[i] * result[k]
                  for k in range(count)]
    return result


# ------------------------------------------------------------------- pieces of a few bits each

def rounded(x, unit):
    """The multiple of `unit` nearest to x"""
    return (x / unit).to_integral_value() * unit


def head_and_tail(x, bits):
    """x = head + tail, the head with so many bits"""
    unit = ONE
    while abs(x) >= unit * 2 ** bits:
        unit *= 2
    while x and abs(x) < unit * 2 ** (bits - 1):
        unit /= 2
    head = rounded(x, unit)
    return head, x - head


def pieces(x, bits, count):
    """x in `count` heads of so many bits, and what remains"""
    result = []
    for _ in range(count):
        head, x = head_and_tail(x, bits)
        result.append(head)
    return result + [x]


# ------------------------------------------------------------------------------- the tables

def logarithms():
    """1/c for c = 1 + j/128, rounded to 13 binary places so that a product with 21 bits is exact;
    minus its logarithm, in multiples of 2^-42 so that k log 2 is added without rounding, and what
    remains. Where c exceeds sqrt(2), the logarithm is that of c/2."""
    rows = []
    for j in range(129):
        inverse = rounded(1 / (1 + Decimal(j) / 128), TWO ** -13)
        value = -(inverse * (1 if j < 53 else 2)).ln()
        head = rounded(value, TWO ** -42)
        rows.append((inverse, head, value - head))
    return rows


def gammas():
    """log Gamma(c + t) = A0 + A1 t + t^2 (A2 + A3 t + ...) for c = 1 + j/8 and |t| <= 1/16, with
    the value A0 (a head and a tail) and the slope A1 (a head of 26 bits and a tail) at c"""
    rows, step = [], TWO ** -60
    for j in range(17):
        c = 1 + Decimal(j) / 8
        value = log_gamma(c) if j not in (0, 8) else Decimal(0)
        slope = (log_gamma(c + step) - log_gamma(c - step)) / (2 * step)
        rest = fit(lambda t, c=c, value=value, slope=slope:
                   (log_gamma(c + t) - value - slope * t) / t ** 2, -ONE / 16, ONE / 16, 11)
        rows.append([*head_and_tail(value, 53), *head_and_tail(slope, 26), *rest])
    return rows


def stirling():
    """x (log Gamma(x) - elementary(x)) as a polynomial in 1/x^2, for x >= 3"""
    def rest(w):
        x = 1 / w.sqrt()
        return x * (log_gamma(x) - elementary(x))
    return fit(rest, Decimal(0), ONE / 9, 13)


# ------------------------------------------------------------------------------- their text

def hexadecimal(x):
    """The double nearest to x, as C writes it, without zeros at the end"""
    if not x:
        return "0"
    mantissa, exponent = float(x).hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + "p" + exponent


def table(comment, declaration, texts, line, brackets=("", "")):
    """A definition: `line` numbers each, or one bracket of several lines after another"""
    print(f"\n/* {comment} */\nstatic const {declaration} = {{")
    for text in texts:
        lines = [", ".join(text[i:i + line]) for i in range(0, len(text), line)]
        print("    " + brackets[0] + ",\n    ".join(lines) + brackets[1] + ",")
    print("};")


def rows(comment, declaration, numbers):
    table(comment, declaration, [[hexadecimal(x) for x in row] for row in numbers], 4, ("{", "}"))


def row(comment, declaration, numbers):
    table(comment, declaration, [[hexadecimal(x) for x in numbers]], 4)


def main():
    print("/* maths_tables.h - made by scripts/maths_coefficients.py, which says what the numbers"
          "\n * are. */\n"
          "/* clang-format off */")
    row("log 2 in multiples of 2^-42, and the rest", "double log_2[2]",
        [rounded(LN2, TWO ** -42), LN2 - rounded(LN2, TWO ** -42)])
    row("1 / log 10, head and tail", "double per_log_10[2]",
        head_and_tail(1 / Decimal(10).ln(), 53))
    rows("log: 1/c for c = 1 + j/128; log c (from j = 53: log(c/2)), head and tail",
         "double log_table[129][3]", logarithms())
    row("exp: 128 / log 2; log 2 / 128 in multiples of 2^-42, and the rest",
        "double exp_step[3]", [128 / LN2, rounded(LN2 / 128, TWO ** -42),
                                  LN2 / 128 - rounded(LN2 / 128, TWO ** -42)])
    rows("exp: 2^(j/128), head and tail", "double exp_table[128][2]",
         [head_and_tail((LN2 * j / 128).exp(), 53) for j in range(128)])
    row("sin, cos: 2/pi, then pi/2 in three pieces of 33 bits and the rest",
        "double quarter_turn[5]", [2 / PI] + pieces(PI / 2, 33, 3))
    row("pi/2, head and tail", "double half_pi[2]", head_and_tail(PI / 2, 53))
    table("2/pi, 32 bits after 32 bits", "uint32_t two_over_pi[38]",
          [[f"0x{TWO_OVER_PI >> 32 * (37 - i) & 0xffffffff:08x}" for i in range(38)]], 7)
    rows("sin, cos: sin(j/64) and cos(j/64), heads of 26 bits and tails",
         "double sine_table[52][4]",
         [sum((head_and_tail(x, 26) for x in sine_and_cosine(Decimal(j) / 64)), ())
          for j in range(52)])
    rows("lgamma: A0, A1 (heads and tails), A2, A3, ... around c = 1 + j/8",
         "double gamma_table[17][16]", gammas())
    row("lgamma: log(2 pi)/2, head and tail", "double half_log_2_pi[2]",
        head_and_tail((2 * PI).ln() / 2, 53))
    row("lgamma: Stirling's rest, times x, in powers of 1/x^2", "double stirling[14]",
        stirling())


main()
