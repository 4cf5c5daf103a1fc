"""Record TensorFlow's answers into tests/behaviour/recorded/<family>.json.

    python3 scripts/oracle/record_behaviour.py            all families
    python3 scripts/oracle/record_behaviour.py constants  this family

`tests/behaviour/__init__.py` says what is asked, and how. With --print, answers go to stdout
instead, as the tests want them from a live TensorFlow.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_under_tensorflow

if __name__ == "__main__":
    continue_under_tensorflow()  # before anything is imported that only that environment has

from tests.behaviour.asking import FOLDER, UNEXPECTED, ask, families, questions_of


def answers_of(tf: Any, family: str) -> dict[str, dict[str, str]]:
    """TensorFlow's answers to all questions of a family."""
    return {name: ask(tf, put) for name, put in questions_of(family).items()}


def main(arguments: list[str]) -> int:
    """Record; the status is 1 if TensorFlow says something else than a question expects."""
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    show = "--print" in arguments
    names = [name for name in arguments if not name.startswith("-")] or families()
    with contextlib.redirect_stdout(sys.stderr):  # benchmarks of tf.test print what they find
        found = {family: answers_of(tf, family) for family in names}
    if show:
        print(json.dumps(found))
        return 0
    bad = 0
    for family, answers in found.items():
        for name, labelled in answers.items():
            for label, answer in labelled.items():
                if UNEXPECTED in answer or "site-packages" in answer:
                    print(f"{family}.{name} / {label}: {answer}")
                    bad += 1
        path = FOLDER / "recorded" / f"{family}.json"
        path.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
        print(f"{path.name}: {sum(map(len, answers.values()))} answers")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
