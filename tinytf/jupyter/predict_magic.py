"""`%%predict ch06.twice`: a cell whose result is asked for before it is shown; `%predictions`."""

from __future__ import annotations

import ast
import os
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, no_var_expand
from IPython.display import display
from IPython.utils.capture import CapturedIO, capture_output

from tinytf.framework.stacks import get_default_graph
from tinytf.grading import progress_file, question
from tinytf.grading.question import NoReplyError, Question, Reply, UnknownQuestionError
from tinytf.jupyter import cells
from tinytf.jupyter.predictions import Asked, review
from tinytf.jupyter.reprs import draw

#: Names a folder with what each question's cell gives, for the tests of a course: a cell that gives
#: something else fails. In ch06.toml: `twice = "1"`.
TRUTHS = "TINYTF_TRUTHS"


@magics_class
class PredictMagics(Magics):
    """The magics. They know what the cells of this kernel have asked."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        self._shell = shell
        self._asked: dict[str, Asked] = {}

    @no_var_expand
    @line_cell_magic
    def predict(self, line: str, cell: str | None = None) -> None:
        """Ask what the cell will do, run it, and show what it did once that was answered.

        The first line names the question, which stands with the exercises. The last line of the
        cell is an expression: its value is what is asked for. A cell may also end in an error whose
        name is among the choices.

            %%predict ch06.twice
            sess.run([take, take])
            int(sess.run(size))

        Without widgets: `%predict ch06.twice b` replies.
        """
        name, _, text = line.strip().partition(" ")
        try:
            asks = question.find(name)
        except UnknownQuestionError as error:
            raise UsageError(str(error)) from None
        if cell is None:
            self._reply(asks, text)
            return
        happened, shown = self._run(cell, asks)
        _check(asks, happened)
        drawing = draw(get_default_graph()).svg if asks.kind == "operations" else ""
        self._asked[name] = Asked(asks, happened, shown, drawing)
        display(self._asked[name])

    def _reply(self, asks: Question, text: str) -> None:
        asked = self._asked.get(asks.name)
        if asked is None:
            raise UsageError(f"Run the cell that begins with  %%predict {asks.name}  first.")
        try:
            print(asked.answer(asks.parse(text)))
        except NoReplyError as error:
            raise UsageError(str(error)) from None

    def _run(self, cell: str, asks: Question) -> tuple[Reply, CapturedIO]:
        """Run the cell: what its last line gives, and what it showed meanwhile."""
        body, last = self._compiled(cell)
        names, failed = self._shell.user_ns, None
        with capture_output() as shown:
            try:
                exec(body, names)  # noqa: S102 - the cell
                value = eval(last, names)  # noqa: S307 - its last line
            except Exception as error:
                failed, value = error, type(error).__name__
        if failed is None:
            return asks.reply_of(value), shown
        if value not in asks.options:
            shown.show()
            raise failed
        said = f"{value}: {failed}\n"
        out, err = StringIO(shown.stdout + said), StringIO(shown.stderr)
        return asks.reply_of(value), CapturedIO(out, err, shown.outputs)

    def _compiled(self, cell: str) -> tuple[Any, Any]:
        """The code of all statements but the last, and of the last, which is an expression."""
        # The line of the magic is the cell's first one, for who counts lines in the notebook.
        source = "\n" + self._shell.transform_cell(cell)
        file = self._shell.compile.cache(source, cells.running(self._shell))
        tree = ast.parse(source, file)
        last = tree.body.pop() if tree.body else None
        if not isinstance(last, ast.Expr):
            raise UsageError("The last line has to be an expression: it gives what is asked for.")
        return compile(tree, file, "exec"), compile(ast.Expression(last.value), file, "eval")

    @line_magic
    def predictions(self, line: str) -> None:
        """The predictions of a chapter that went wrong, to be made again: `%predictions ch06`.

        `%predictions save anna.json` writes all of yours, and the points of your exercises, into a
        file, for a teacher.
        """
        first, _, rest = line.strip().partition(" ")
        if first == "save":
            self._save(rest.strip())
            return
        questions = question.of_chapter(first)
        if not questions:
            raise UsageError(
                f"There are no predictions of {first or 'no chapter'!r}: name one, "
                "as in  %predictions ch06"
            )
        display(review(first, questions, self._asked))

    def _save(self, name: str) -> None:
        file = progress_file.path()
        if not name or file is None or not file.exists():
            raise UsageError("Nothing is remembered yet." if name else "Name a file: anna.json")
        Path(name).write_bytes(file.read_bytes())
        print(f"{name}: what you predicted, and the points of your exercises.")


def _check(asks: Question, happened: Reply) -> None:
    """For the tests of a course: AssertionError if the cell gave something else than it should."""
    if folder := os.environ.get(TRUTHS):
        path = Path(folder, f"{asks.chapter}.toml")
        truth = tomllib.loads(path.read_text(encoding="utf-8"))[asks.name.partition(".")[2]]
        if not asks.is_right(asks.reply_of(truth), happened):
            raise AssertionError(f"{asks.name}: {happened} happened, and {path} has {truth!r}")
