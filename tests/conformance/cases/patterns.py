r"""RE2 to its corners: classes of Unicode, options anywhere, single bytes, rewrites, errors."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

#: With bytes that are no UTF-8, and characters that are cut off.
TEXTS = [
    b"aa",
    b"Ab",
    "É".encode(),
    b"\xff",
    b"a\xffb",
    "αβ".encode(),
    b"a\nb",
    b"",
    b"\xe2\x82",
    b"\xe2\x82\xac",
    b"ba",
    b"\xf0\x9f\x98\x80!",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"x1 _-",
]
PATTERNS = r"""
    \pL \PL \p{Greek}+ \p{^Lu} [\pL\pN] [^\pL] \pN\d|_ (?U)a+ (?U)a+? (?U)(a+?)(?-U)b* \C a\Cb
    \C\C a(?i)B (?i:a)b (?i)É (?i)k a(?s:.)b (?s). (?-s). (?m)^b (?m)a$ (?m:^)b|(?-m:^)a ^* () a|
    |a \b \B \Q+ \Qa\Eb (?P<n>a)(?P<n>b) (?P<1>a) a{99999999999} a{,2} x{2 [^\x00-\x{10FFFF}]
    \x{20AC} [[:^alpha:]] [[:word:]]+ [\d\-_] [a-] \a|\f|\v|\101 (a*)* (a|b)*?b a*? (?:) \pZ
    \p{Any}
""".split()
PATTERNS += ["[^\n]", r"(?i)\x{3b1}"]


@case("StaticRegexReplace", "StaticRegexFullMatch", each=[(i,) for i in range(len(PATTERNS))])
def corners(tf, number):
    pattern = PATTERNS[number]
    return [
        tf.regex_replace(TEXTS, pattern, "-"),
        tf.regex_replace(TEXTS, pattern, r"<\0>", replace_global=False),
        tf.strings.regex_full_match(TEXTS, pattern),
    ]


REWRITES = [
    r"\1",
    r"\\",
    "\\",
    r"\x",
    r"\0\9",
    r"\2",
    b"\xff",
    "\\1\\",
    r"a\xb",
    "",
    r"a\\1",
    r"\\\1",
    "é",
    r"\1\x\2",
    r"\10",
    b"\x00",
]


@case("StaticRegexReplace", each=[(i,) for i in range(len(REWRITES))])
def rewrites(tf, number):
    return [
        tf.regex_replace(TEXTS, pattern, REWRITES[number], replace_global=everywhere)
        for pattern in ("(a)", "a", "", "(b)?", "(a)(b)?")
        for everywhere in (True, False)
    ]


@case("StaticRegexReplace")
def more_groups_than_a_rewrite_names(tf):
    return tf.regex_replace(["a" * 20, "a" * 19], "(a)" * 20, r"\9\1")


MALFORMED = {
    r"\pX": r"invalid character class range: \pX",
    r"\p{Foo}": r"class range: \p{Foo}",
    "(a": "missing ): (a",
    "a)": "unexpected ): a)",
    "[a": "missing ]: [a",
    "*a": "no argument for repetition operator: *",
    "|*": "no argument for repetition operator: *",
    "a**": "bad repetition operator: **",
    "a++": "bad repetition operator: ++",
    "x{2}{3}": "bad repetition operator: {2}{3}",
    "a{1001}": "invalid repetition size: {1001}",
    "(((a{100}){100}){100})": "invalid repetition size: {100}",
    "(?<=a)b": "invalid perl operator: (?<",
    "(?P=n)": "perl operator: (?P",
    "(?z)a": "invalid perl operator: (?z",
    "(?i": "error: invalid perl operator: (?i",
    "(?x)": "perl operator: (?x",
    "(?P<na": "invalid named capture group: (?P<na",
    "(?P<>a)": "invalid named capture group: (?P<>",
    "(?P<a b>c)": "capture group: (?P<a b>",
    "a\\": "trailing \\",
    r"\8": r"invalid escape sequence: \8",
    r"\1": r"escape sequence: \1",
    r"\Z": r"escape sequence: \Z",
    r"\K": r"escape sequence: \K",
    r"\xg": r"escape sequence: \xg",
    r"\x{110000}": r"invalid escape sequence: \x{110000",
    "[z-a]": "character class range: z-a",
    r"[a-\d]": r"invalid escape sequence: \d",
    "(?:": "missing ): (?:",
}


def malformed(tf, pattern):
    return tf.regex_replace("a", pattern, "b")


for _pattern, _reason in MALFORMED.items():
    case("StaticRegexReplace", each=[_pattern], error=_reason)(malformed)


@case("RegexReplace", "RegexFullMatch")
def fed_patterns(tf):
    pattern, feed = fed(tf, np.array(r"\p{Greek}|\C$", object), "string")
    rewrite, more = fed(tf, np.array(rb"\\<\0", object), "string")
    return Program(
        [tf.regex_replace(TEXTS, pattern, rewrite), tf.strings.regex_full_match(TEXTS, pattern)],
        feed={**feed, **more},
    )


# Numbers ------------------------------------------------------------------------------------------

LONG = ["1." + "0" * 29, " " * 30 + "1", "0x" + "1" * 29, "1e999999999", "-1e400", "1e-999999999"]


@case("StringToNumber", each=["float32", "float64"])
def long_numbers(tf, dtype):
    return tf.string_to_number(LONG, tf.as_dtype(dtype))


@case("StringToNumber", each=["int32", "int64"])
def long_integers(tf, dtype):
    return tf.string_to_number(
        ["0" * 5000 + "7", "-" + "0" * 5000 + "8", "1" + " " * 100], tf.as_dtype(dtype)
    )


TOO_LONG = [
    ("1." + "0" * 30, "float32"),
    (" " * 31 + "1", "float64"),
    ("0x" + "f" * 400, "float64"),
    ("9" * 400, "float32"),
    ("9" * 5000, "int64"),
    ("-" + "9" * 100_000, "int32"),
]


@case(
    "StringToNumber",
    each=[(i,) for i in range(len(TOO_LONG))],
    error="StringToNumberOp could not correctly convert string: ",
)
def numbers_that_are_too_long(tf, number):
    text, dtype = TOO_LONG[number]
    return tf.string_to_number(text, tf.as_dtype(dtype))


@case("AsString", each=["width", "precision"], error="out of range for an int32")
def sizes_that_are_no_int32(tf, which):
    return tf.as_string(1.5, **{which: 2**40})


@case("AsString")
def wide_numbers(tf):
    made = [
        tf.as_string(1.5, width=10**6),
        tf.as_string(1, width=10**6, fill="0"),
        tf.as_string("a", width=10**6, fill="-"),
        tf.as_string(0.1, precision=10**6),
        tf.as_string(1.5, width=-(2**31)),
        tf.as_string(True, width=7),
    ]
    return [tf.strings.length(text) for text in made]
