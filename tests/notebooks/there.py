"""The cells of a lesson in a real TensorFlow: what they print, raise and, asked, give."""

import json
import re
import subprocess

from tests.notebooks import reading
from tinytf.grading import question

#: What lessons take from `tinytf.jupyter`, written for TensorFlow.
LESSONS = """
import time

def attempt(session, fetches, feed_dict=None, seconds=1.0):
    options = tf.RunOptions(timeout_in_ms=round(seconds * 1000))
    try:
        return plain(session.run(fetches, feed_dict, options=options))
    except tf.errors.OpError as error:
        return type(error).__name__

def elements(dataset):
    element, taken = dataset.make_one_shot_iterator().get_next(), []
    with tf.Session() as session:
        while True:
            try:
                taken.append(plain(session.run(element)))
            except tf.errors.OutOfRangeError:
                return taken

def ratio(one, other, tries=5):
    best = {}
    for run in [one, other] * tries:
        begun = time.perf_counter()
        run()
        best[run] = min(time.perf_counter() - begun, best.get(run, 1e9))
    return best[one] / best[other]

def warm(session, fetches, feed_dict):
    for _ in range(30):
        session.run(fetches, feed_dict)
    return lambda: session.run(fetches, feed_dict)

def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (tuple, list)):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return plain(value.tolist()) if hasattr(value, "tolist") else value
"""
#: A function: what the last line of a cell gives, as one text, and its items as texts.
GIVEN = """
def given(source):
    tree = ast.parse(source)
    last = tree.body.pop()
    try:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    except Exception as error:
        value = type(error).__name__
    items = value if isinstance(value, (list, tuple)) else [value]
    return [str(value), [str(getattr(item, "name", item)) for item in items]]
"""
#: Reads {cell: source} and writes {cell: [what it printed, the error's class or None]}. Of a cell
#: that asks, what its last line gives: as one text, and its items as texts.
RUNNER = (
    """
import ast, contextlib, io, json, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
"""
    + LESSONS
    + """
names = {name: globals()[name] for name in ("attempt", "elements", "ratio", "warm")}

"""
    + GIVEN
    + """
answers = {}
for cell, source in json.load(sys.stdin).items():
    output, failed, asked = io.StringIO(), None, source.startswith("%%predict ")
    if asked:
        source = source.partition("\\n")[2]
    else:
        source = "\\n".join(line for line in source.splitlines() if not line.startswith("%"))
    with contextlib.redirect_stdout(output):
        try:
            value = given(source) if asked else exec(source, names)
        except Exception as error:
            failed = type(error).__name__
    answers[cell] = value if asked else [output.getvalue(), failed]
print(json.dumps(answers))
"""
)


def translated(source):
    """The source of a cell as a program of TensorFlow."""
    source = source.replace("import tinytf as tf", "import tensorflow.compat.v1 as tf")
    return re.sub(r"^(import tinytf\.jupyter|from tinytf[. ].*)\n?", "", source, flags=re.MULTILINE)


def answers_there(sources, folder, python):
    """What each cell, {id: source}, prints, raises or gives there."""
    write_digits(folder)
    for _ in range(2):
        result = subprocess.run(
            [str(python), "-c", RUNNER],
            input=json.dumps({cell: translated(source) for cell, source in sources.items()}),
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,  # lessons write files
        )
        if result.returncode >= 0:  # it crashes now and then when threads wait for its queues
            break
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def steady(text):
    """What was printed, without what several threads bring about a little differently each time."""
    return re.sub(r"\b\d+(% of the new digits| changes of town)", r"MANY\1", text)


def write_digits(folder):
    """The lessons' network for TensorFlow, and the digits, in a folder."""
    source = (reading.NOTEBOOKS / "digits.py").read_text(encoding="utf-8")
    (folder / "digits.py").write_text(translated(source), encoding="utf-8")
    (folder / "optdigits").symlink_to(reading.NOTEBOOKS / "optdigits")


def asks(cell):
    """Whether a cell asks for a prediction."""
    return cell["source"].startswith("%%predict ")


def happens_there(cell, answer):
    """Whether what a cell asks for is in a real TensorFlow what the course says it is."""
    asked = question.find(cell["source"].split()[1])
    whole, items = answer
    value = items if asked.kind in ("order", "operations") else whole
    truth = reading.truths(asked.chapter)[asked.name.partition(".")[2]]
    return asked.is_right(asked.reply_of(truth), asked.reply_of(value))
