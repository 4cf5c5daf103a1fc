"""Regular expressions: what is replaced, what matches, what is refused."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed


def text(tf, value):
    """A placeholder of strings of unknown shape, and its feed."""
    return fed(tf, np.array(value, object), "string")


# Patterns -----------------------------------------------------------------------------------------

REPLACED = [
    ("a", "-"),
    ("(a)(b)", r"\2\1"),
    ("[xy]+", r"<\0>"),
    ("", "-"),
    ("b*", "-"),
    ("^a", "!"),
    ("$", "!"),
    (".", "\\\\"),
    ("(?i)a", "x"),
    ("[[:alpha:]]", "x"),
    (r"\d|b", "x"),
    ("(?s).", "x"),
    ("(?P<n>a)", r"<\1>"),
    ("a??", "x"),
    (r"\bA", "x"),
    (r"\Qa\E", "x"),
    ("(?m)^A", "x"),
    (r"\z", "x"),
    (r"\x{41}", "x"),
    ("[^a]", "x"),
    ("a", r"\1"),
    ("a", r"\x"),
    ("a|ab", "x"),
    ("(a)|b", r"<\1>"),
    (r"[\]a]", "x"),
    (r"\s|\w", "x"),
    ("(?:a|b)+", "x"),
    ("a{2}", "x"),
    ("[]a]", "x"),
    ("[a$]", "x"),
    (r"\$", "x"),
    ("(?im)^a|b$", "x"),
    ("é", "e"),
]


@case("StaticRegexReplace", each=[(i,) for i in range(len(REPLACED))])
def regex_replace(tf, number):
    pattern, rewrite = REPLACED[number]
    x = ["abcab", "xyz", "aAbB\nA", "héa".encode(), "a$]aa", ""]
    return [
        tf.regex_replace(x, pattern, rewrite),
        tf.strings.regex_replace(x, pattern, rewrite, replace_global=False),
    ]


@case("StaticRegexReplace", each=["b$", r"b\z", "(?m)b$"])
def the_end_behind_a_new_line(tf, pattern):
    return tf.regex_replace(["ab\n", "b", "b\nb"], pattern, "-")


@case("RegexReplace")
def regex_replace_with_tensors(tf):
    x, feed = text(tf, "b+")
    return Program(
        [
            tf.regex_replace(["abba"], x, "-"),
            tf.regex_replace("abba", "b", x, name="named"),
            tf.regex_replace([["abba"]], tf.constant("a"), tf.constant(r"\0\0"), False),
        ],
        feed=feed,
    )


@case("StaticRegexReplace", error="Invalid pattern: (a, error: missing ): (a")
def malformed_pattern(tf):
    return tf.regex_replace("a", "(a", "b")


@case("RegexReplace", error="Invalid pattern: (a, error: missing ): (a")
def malformed_fed_pattern(tf):
    x, feed = text(tf, "(a")
    return Program(tf.regex_replace("a", x, "b"), feed=feed)


@case("StaticRegexReplace", error="Invalid pattern: (?=a), error: invalid perl operator: (?=")
def looking_ahead(tf):
    return tf.regex_replace("a", "(?=a)", "b")


@case("StaticRegexReplace", error=r"Invalid pattern: (a)\1, error: invalid escape sequence: \1")
def reference_back(tf):
    return tf.regex_replace("a", r"(a)\1", "b")


@case(
    "StaticRegexFullMatch",
    each=["a)", "[a", "*a", "a**", "a++", "(?<=a)b", "(?P=n)", "a\\"],
    error="Invalid pattern: ",
)
def other_malformed_patterns(tf, pattern):
    return tf.strings.regex_full_match("a", pattern)


@case("RegexReplace", error="Pattern must be scalar, but received [2]")
def two_patterns(tf):
    x, feed = text(tf, ["a", "b"])
    return Program(tf.regex_replace("a", x, "b"), feed=feed)


@case("RegexReplace", error="Rewrite must be scalar, but received [2]")
def two_rewrites(tf):
    x, feed = text(tf, ["a", "b"])
    return Program(tf.regex_replace("a", "a", x), feed=feed)


@case("RegexReplace", error="Shape must be rank 0 but is rank 1")
def two_known_patterns(tf):
    return tf.regex_replace("a", ["a", "b"], "b")


@case("StaticRegexFullMatch", "RegexFullMatch")
def regex_full_match(tf):
    x, feed = text(tf, "a.*")
    words = ["abc", "ab", "hé".encode(), "ab\n", ""]
    patterns = ("ab.*", "ab|abc", "..", "a(b|bc)", "", "(?i)AB", "ab$", r"ab\n", "[^b]*")
    return Program(
        [tf.strings.regex_full_match(words, p) for p in patterns]
        + [
            tf.strings.regex_full_match("abc", "abc", name="named"),
            tf.strings.regex_full_match([words], x),
        ],
        feed=feed,
    )


@case("RegexFullMatch", error="Pattern must be scalar, but received [1]")
def full_match_of_a_vector(tf):
    x, feed = text(tf, ["a"])
    return Program(tf.strings.regex_full_match("a", x), feed=feed)
