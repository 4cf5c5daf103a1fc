"""What is asked of TensorFlow gets the same answer here."""

import json
import subprocess
import sys

import pytest

import tinytf as tf
from tests.behaviour.asking import UNEXPECTED, ask, differences_of, families, questions_of, recorded
from tests.oracle import environment

ALL = [(family, name) for family in families() for name in questions_of(family)]
#: The default run puts each third question.
PUT = [
    pytest.param(*question, marks=pytest.mark.slow if number % 3 else ())
    for number, question in enumerate(ALL)
]


@pytest.mark.parametrize(("family", "name"), PUT)
def test_answers_are_tensorflows(family, name):
    expected = dict(recorded(family)[name])
    for (asked, label), (answer, _) in differences_of(family).items():
        if asked == name:
            assert expected[label] != answer, f"no difference any more: {label}"
            expected[label] = answer
    actual = ask(tf, questions_of(family)[name])
    assert list(actual) == list(expected), "record this family again"
    differing = {k: (actual[k], expected[k]) for k in expected if actual[k] != expected[k]}
    assert not differing, "(here, expected): " + json.dumps(differing, indent=1)


@pytest.mark.parametrize("family", families())
def test_recordings_hold_what_their_questions_expect(family):
    answers = recorded(family)
    assert set(answers) == set(questions_of(family))
    surprises = [a for labels in answers.values() for a in labels.values() if UNEXPECTED in a]
    assert not surprises
    unknown = [key for key in differences_of(family) if key[1] not in answers[key[0]]]
    assert not unknown, "differences without an answer"


def ask_tensorflow(*names):
    """What a live TensorFlow answers to these families, or to all."""
    script = environment.ROOT / "scripts" / "oracle" / "record_behaviour.py"
    done = subprocess.run(
        [sys.executable, str(script), *names, "--print"],
        capture_output=True,
        text=True,
        env=environment.tensorflow_environment(),
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.tensorflow
@pytest.mark.timeout(840)
def test_tensorflow_still_answers_so(request):
    """Outside exhaustive runs, each third family: the recordings are of the same version."""
    chosen = families() if request.config.getoption("exhaustive") else families()[::3]
    known = {family: recorded(family) for family in chosen}
    live = ask_tensorflow(*chosen)
    differing = [family for family in known if live.get(family) != known[family]]
    if differing:  # questions with deadlines and threads: a busy machine is asked once more
        live |= ask_tensorflow(*differing)
    assert {f: live.get(f) for f in differing} == {f: known[f] for f in differing}
    assert set(live) == set(known)
