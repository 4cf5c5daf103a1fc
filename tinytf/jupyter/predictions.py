"""A question that a cell asks: what happened stays closed until somebody has said what they expect.

The cell runs at once, so that Run All and the cells below find what they need; what it shows is
kept here. `Asked` is what a notebook shows: a widget, and as text the question alone. In an export
nobody can answer: there (TINYTF_PREDICTIONS=fold) what happened is folded under the question.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import mistune

from tinytf.grading.progress import kept, note_prediction
from tinytf.grading.question import Question, Reply

if TYPE_CHECKING:
    from IPython.utils.capture import CapturedIO

#: "fold": for pages without a kernel.
VARIABLE = "TINYTF_PREDICTIONS"
_CARD = "border-left: 4px solid #4285f4; padding: 2px 14px"


@dataclass(slots=True)
class Asked:
    """A question of a cell that has run.

    Attributes:
      question: what is asked. happened: what the cell gave. shown: what it has printed and drawn.
      drawing: the graph to click in, as SVG; "" if nothing is to be clicked.
    """

    question: Question
    happened: Reply
    shown: CapturedIO
    drawing: str = ""

    def commit(self, reply: Reply) -> dict[str, Any]:
        """Take a prediction: remember it, and give what the browser shows then."""
        right = self.question.is_right(reply, self.happened)
        note_prediction(self.question.name, reply, right)
        return {
            "right": right,
            "reply": list(reply),
            "happened": list(self.happened),
            "said": _inline(self.question.shown(self.happened)),
            "because": _inline(self._because(reply)),
            "html": self.revealed(),
        }

    def answer(self, reply: Reply) -> str:
        """The same as text."""
        outcome = self.commit(reply)
        lines = [
            "Right." if outcome["right"] else f"Not so: you said {self.question.shown(reply)}.",
            f"What happened: {self.question.shown(self.happened)}",
            self._because(reply),
            _text_of(self.shown),
            self.question.why,
        ]
        return "\n".join(filter(None, lines))

    def _because(self, reply: Reply) -> str:
        """What there is to say of a wrong prediction; "" of others."""
        return self.question.because.get(reply[0], "") if len(reply) == 1 else ""

    def revealed(self) -> str:
        """HTML: what the cell has shown, and why."""
        why = mistune.html(self.question.why)
        return f"{_html_of(self.shown)}<div class='tinytf-why'>{why}</div>"

    def __repr__(self) -> str:
        question = self.question
        lines = [f"Predict: {question.text}"]
        lines += [f"  {letter}  {label}" for letter, label in question.lettered()]
        reply = {"choices": "a", "number": "1", "operations": "NAME"}.get(question.kind, "b a")
        return "\n".join([*lines, f"Reply with:  %predict {question.name} {reply}"])

    def form(self) -> str:
        """The question as HTML: the form that static/predict.js brings to life."""
        question = self.question
        return (
            f"<form class='tinytf-view tinytf-predict' data-kind='{question.kind}' "
            f"data-many='{question.many}' style='{_CARD}'><fieldset style='border: 0; padding: 0'>"
            f"<legend><strong>Predict:</strong> {_inline(question.text)}</legend>"
            f"{self._field()}</fieldset></form>"
        )

    def _field(self) -> str:
        question = self.question
        if question.kind == "number":
            return (
                f"<label><input type='number' step='any' name='reply' autocomplete='off'> "
                f"{escape(question.unit)}</label>"
            )
        if question.kind == "operations":
            words = "the operation's name" if question.many == 1 else f"{question.many} names"
            field = f"<input type='text' name='reply' autocomplete='off' aria-label='{words}'>"
            return f"<div class='tinytf-scroll'>{self.drawing}</div><label>{words}: {field}</label>"
        rows = []
        for key, label in question.options.items():
            control = f"<input type='radio' name='reply' value='{escape(key, quote=True)}'> "
            words = f"<span>{_inline(label)}</span>"
            if question.kind == "choices":
                words = f"<label>{control}{words}</label>"
            rows.append(f"<li data-key='{escape(key, quote=True)}'>{words}</li>")
        return f"<ol type='a'>{''.join(rows)}</ol>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if os.environ.get(VARIABLE) == "fold":
            return {"text/plain": repr(self), "text/html": self.form() + self._folded()}
        from tinytf.jupyter.predict_widget import PredictWidget
        from tinytf.jupyter.trace import with_texts

        bundle = PredictWidget(self)._repr_mimebundle_(**kwargs)
        return with_texts(bundle, repr(self), self.form())

    def _folded(self) -> str:
        said = _inline(self.question.shown(self.happened))
        return (
            f"<details class='tinytf-recorded'><summary>What happened</summary>"
            f"<p><strong>{said}</strong></p>{self.revealed()}</details>"
        )


def _inline(text: str) -> str:
    """Markdown of a line as HTML."""
    return str(mistune.html(text)).strip().removeprefix("<p>").removesuffix("</p>")


def _html_of(shown: CapturedIO) -> str:
    """What a cell printed and drew, as HTML."""
    parts = [_pre(text) for text in (shown.stdout, shown.stderr) if text]
    for output in shown.outputs:
        data = output.data
        if "text/html" in data or "image/svg+xml" in data:
            parts.append(data.get("text/html") or data["image/svg+xml"])
        elif "image/png" in data:
            parts.append(f"<img alt='' src='data:image/png;base64,{data['image/png']}'>")
        else:
            parts.append(_pre(data.get("text/plain", "")))
    return "".join(parts)


def _pre(text: str) -> str:
    return f"<pre>{escape(text.rstrip())}</pre>"


def _text_of(shown: CapturedIO) -> str:
    drawn = [output.data.get("text/plain", "") for output in shown.outputs]
    return "\n".join(filter(None, [shown.stdout.rstrip(), shown.stderr.rstrip(), *drawn]))


@dataclass(slots=True)
class Review:
    """The questions of a chapter at its end: which to look at again.

    Attributes:
      chapter: "ch06". questions: all it has. predicted: name -> whether the last reply was right.
      asked: those whose cells have run in this kernel.
    """

    chapter: str
    questions: dict[str, Question]
    predicted: dict[str, bool]
    asked: dict[str, Asked]

    @property
    def again(self) -> list[str]:
        """The names of those that were predicted wrongly, in the chapter's order."""
        return [name for name in self.questions if self.predicted.get(name) is False]

    def __repr__(self) -> str:
        number, made = len(self.questions), len(self.predicted)
        if not made:
            return (
                f"This chapter has {number} predictions, and you have made none of them here. "
                f"Each waits under its cell."
            )
        left = f", {number - made} not made yet" if made < number else ""
        lines = [f"{number} predictions: {sum(self.predicted.values())} right{left}."]
        if self.again:
            lines.append(f"{len(self.again)} to look at again:")
        for name in self.again:
            there = "" if name in self.asked else " (run its cell first)"
            lines.append(f"  {name}: {self.questions[name].text}{there}")
        return "\n".join(lines)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        print(self)
        for name in self.again:
            if name in self.asked:
                display(self.asked[name])


def review(chapter: str, questions: dict[str, Question], asked: dict[str, Asked]) -> Review:
    """What there is to look at again, of what is remembered."""
    made = kept().predictions
    predicted = {name: made[name].right for name in questions if name in made}
    return Review(chapter, questions, predicted, asked)
