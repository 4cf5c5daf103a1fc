"""Exercises and replies for the tests of what a learner sees."""

from tinytf.grading.report import Outcome, Report


def write_exercise(folder, title, points):
    folder.mkdir(parents=True, exist_ok=True)
    facts = f'title = "{title}"\nsymbol = "f"\ndeadline = 5\n'
    (folder / "exercise.toml").write_text(facts)
    checks = [
        f"@point('it holds', {worth})\ndef check_{number}(answer):\n    pass\n"
        for number, worth in enumerate(points)
    ]
    (folder / "checks.py").write_text("from tinytf.grading import point\n" + "".join(checks))


def report(name, *points, **changes):
    """A reply; points are pairs: reached, and of how many."""
    outcomes = [Outcome("it holds", n, of, "" if n == of else "no") for n, of in points]
    return Report(name, outcomes, **changes)
