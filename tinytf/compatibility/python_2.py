"""What of a program is Python 2's: Python 3 cannot read it, or has not what it asks for."""

from __future__ import annotations

import re

_SYNTAX = [
    (r"^\s*print\s+(?![=(.,\[+\-*/%)<>&|^:])\S", "print is a function now: print(...)"),
    (r"^\s*print\s*>>", "print(..., file=...) writes to a file now"),
    (r"^\s*print\s*$", "print() ends a line now"),
    (r"^\s*exec\s+[^\s(=]", "exec is a function now: exec(...)"),
    (r"^\s*except\s+[\w.()]+\s*,\s*\w+\s*:", "`except Error as error:` names an error now"),
    (r"^\s*raise\s+[\w.]+\s*,", "`raise Error(text)` raises now"),
    (r"<>", "`!=` compares now"),
    (r"(?<![\w.'\"])0[0-7]+(?![\w.'\"])", "octal numbers are written 0o17 now"),
    (r"(?<![\w'\"])\d+[lL]\b", "numbers have no L any more"),
    (r"(?<!\w)[uU][rR]['\"]", "there are no ur'' texts any more"),
    (r"^\s*(def\s+\w+\s*\(|.*\blambda\b)[^)]*\(\s*\w+\s*,\s*\w+\s*\)\s*[,):]", "arguments are "
     "no longer taken apart: name the pair, and take it apart inside"),
    (r"`[^`]+`", "repr(...) is written out now"),
]  # fmt: skip
#: Python 2's names -> what to write
NAMES = {
    "apply": "function(*arguments)",
    "basestring": "str",
    "cmp": "(a > b) - (a < b)",
    "execfile": "exec(open(file).read())",
    "file": "open",
    "long": "int",
    "raw_input": "input",
    "reduce": "functools.reduce",
    "reload": "importlib.reload",
    "unichr": "chr",
    "unicode": "str",
    "xrange": "range",
}
#: Python 2's modules, likewise
MODULES = {
    "ConfigParser": "configparser",
    "Queue": "queue",
    "StringIO": "io.StringIO",
    "Tkinter": "tkinter",
    "cPickle": "pickle",
    "cStringIO": "io.StringIO",
    "commands": "subprocess",
    "httplib": "http.client",
    "thread": "threading",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
}
#: what dictionaries and iterators had
METHODS = {
    "has_key": "`key in d`",
    "iteritems": "d.items()",
    "iterkeys": "d.keys()",
    "itervalues": "d.values()",
}


def remarks(source: str) -> list[tuple[int, str]]:
    """The lines of a program that only Python 2 can read, and what to write there.

    Only of use for a source that Python 3 cannot parse: it looks at lines, not at syntax.

    Example:
      >>> remarks("print 'loss', loss")
      [(1, "print is a function now: print(...)  [print 'loss', loss]")]
    """
    found = []
    for number, line in enumerate(source.splitlines(), 1):
        code = line.split("#")[0]
        for pattern, text in _SYNTAX:
            if re.search(pattern, code):
                found.append((number, f"{text}  [{line.strip()[:60]}]"))
                break
    return found
