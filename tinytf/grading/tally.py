"""What a class predicted: for each question, how many knew, and which wrong ideas are common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tinytf.grading import progress_file, question
from tinytf.grading.progress_file import Predicted


def tally(chapter: str, files: Iterable[Path]) -> str:
    """The first predictions of all, question by question, as text.

    Args:
      chapter: "ch06". files: one for each learner, made with `%predictions save FILE` or a copy of
        what `tinytf doctor` says points are kept in.

    Raises:
      ValueError: if the chapter has no questions, or a file is missing.
      progress_file.UnusableError: if a file cannot be read, or holds something else.

    Example:
      >>> print(tally("ch06", [Path("anna.json")]))  # doctest: +SKIP
      ch06.twice: 0 of 1 knew. How many elements leave the queue?
          1  3
    """
    questions = question.of_chapter(chapter)
    files = list(files)
    if missing := [str(path) for path in files if not path.is_file()]:
        raise ValueError(f"There is no file {', '.join(missing)}.")
    made = [progress_file.read(path).predictions for path in files]
    if not questions or not made:
        raise ValueError(f"{chapter} has no predictions." if made else "Name the learners' files.")
    lines = [f"{len(made)} learner{'s' * (len(made) != 1)}, what each predicted first"]
    for name, asked in questions.items():
        lines += _lines(asked, [one[name] for one in made if name in one])
    return "\n".join(lines)


def _lines(asked: question.Question, replies: list[Predicted]) -> Iterator[str]:
    knew = sum(one.knew for one in replies)
    yield ""
    told = f"{knew} of {len(replies)} knew" if replies else "nobody has predicted it"
    yield f"{asked.name}: {told}. {asked.text}"
    wrong = Counter(one.first for one in replies if not one.knew)
    for reply, count in wrong.most_common():
        yield f"  {count:4}  {asked.shown(reply)}"
