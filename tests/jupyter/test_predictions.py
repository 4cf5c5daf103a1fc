"""`%%predict`: what is asked, what stays closed, what a reply opens."""

import json

import pytest

pytest.importorskip("IPython")
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.grading.asking import write_questions
from tinytf.grading import exercise
from tinytf.jupyter.predict_magic import PredictMagics


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path))
    monkeypatch.setenv("TINYTF_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("TINYTF_TRUTHS", raising=False)
    write_questions(tmp_path)
    shell = InteractiveShell.instance()  # `display` shows nothing but a text where there is none
    shell.register_magics(PredictMagics)
    yield shell
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()


def ask(shell, name, cell):
    """The data of the one output of the cell."""
    with capture_output() as shown:
        shell.run_cell_magic("predict", f"ch03.{name}", cell)
    assert shown.stdout == shown.stderr == ""
    (output,) = shown.outputs
    return output.data


def reply(shell, line):
    with capture_output() as shown:
        shell.run_line_magic("predict", line)
    return shown.stdout


def test_a_cell_runs_at_once_and_shows_its_question_alone(shell):
    data = ask(shell, "twice", "taken = 1\nprint('secret')\ntaken\n")
    assert shell.user_ns["taken"] == 1
    assert data["text/plain"].splitlines() == [
        "Predict: How many elements leave the queue?",
        "  a  1",
        "  b  2",
        "  c  3",
        "Reply with:  %predict ch03.twice a",
    ]
    for text in (data["text/plain"], data["text/html"]):
        assert "secret" not in text
        assert "once" not in text
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_reply_tells_what_happened_and_why(shell):
    ask(shell, "twice", "print('what it printed')\n1")
    said = reply(shell, "ch03.twice c")
    assert said.splitlines() == [
        "Not so: you said 3.",
        "What happened: 1",
        "Each use would have to run it again.",
        "what it printed",
        "An operation runs **once** in a step.",
    ]
    assert reply(shell, "ch03.twice a").startswith("Right.\n")


FAILS = """
import tinytf as tf

def run():
    raise tf.errors.InvalidArgumentError(None, None, "b was not fed")

run()
"""


def test_an_error_that_is_among_the_choices_is_what_happened(shell):
    ask(shell, "fed", FAILS)
    said = reply(shell, "ch03.fed b")
    assert said.startswith("Right.\nWhat happened: an error\nInvalidArgumentError: b was not fed")


def test_any_other_error_is_the_cells_own(shell):
    with capture_output() as shown, pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("predict", "ch03.twice", "print('before')\n1 / 0")
    assert shown.stdout == "before\n"


def test_an_origin_names_the_line_of_the_cell(shell):
    from tinytf.jupyter import cells

    cells.attach(shell)
    try:
        source = "import tinytf as tf\nb = tf.placeholder(tf.float32)\ntf.Session().run(b)"
        ask(shell, "fed", source)
        said = reply(shell, "ch03.fed b")
        assert "], line 3\n    b = tf.placeholder(tf.float32)" in said
    finally:
        cells.detach()


@pytest.mark.parametrize("cell", ["\n", "x = 1", "1\nx = 1"])
def test_a_cell_without_a_value_says_what_it_needs(shell, cell):
    with pytest.raises(UsageError, match="last line has to be an expression"):
        shell.run_cell_magic("predict", "ch03.twice", cell)


def test_usage_is_told(shell):
    with pytest.raises(UsageError, match=r"Perhaps: ch03\.twice"):
        shell.run_cell_magic("predict", "ch03.twise", "1")
    with pytest.raises(UsageError, match="Run the cell that begins"):
        shell.run_line_magic("predict", "ch03.twice b")
    ask(shell, "twice", "1")
    with pytest.raises(UsageError, match="type one of a, b, c"):
        shell.run_line_magic("predict", "ch03.twice d")
    with pytest.raises(UsageError, match="ch06"):
        shell.run_line_magic("predictions", "ch77")


def test_the_graph_is_there_to_click_in(shell):
    source = "import tinytf as tf\nx = tf.add(1.0, 2.0, name='total')\nx.op.name"
    data = ask(shell, "last", source)
    assert 'data-node="total"' in data["text/html"]
    assert reply(shell, "ch03.last total").startswith("Right.")


def test_the_browser_sends_a_reply_and_gets_what_happened(shell):
    ask(shell, "twice", "print('<b>')\n1")
    from tinytf.jupyter.predict_widget import PredictWidget

    asked = shell.magics_manager.registry["PredictMagics"]._asked["ch03.twice"]
    widget = PredictWidget(asked)
    assert "secret" not in json.dumps(widget.outcome)
    widget.reply = ["3"]
    assert widget.outcome["right"] is False
    assert widget.outcome["happened"] == ["1"]
    assert "&lt;b&gt;" in widget.outcome["html"]
    assert "<strong>once</strong>" in widget.outcome["html"]
    before = widget.outcome
    widget.reply = ["1"]  # too late: it has been told
    assert widget.outcome == before


def test_an_export_folds_what_happened(shell, monkeypatch):
    monkeypatch.setenv("TINYTF_PREDICTIONS", "fold")
    data = ask(shell, "twice", "print('what it printed')\n1")
    assert set(data) == {"text/plain", "text/html"}
    question, folded = data["text/html"].split("<details")
    assert "what it printed" not in question
    assert "what it printed" in folded


def test_the_end_of_a_chapter_asks_again_what_went_wrong(shell):
    def again():
        with capture_output() as shown:
            shell.run_cell("%predictions ch03")
        return shown

    ask(shell, "twice", "1")
    ask(shell, "count", "2")
    assert again().stdout.startswith("This chapter has 5 predictions, and you have made none")
    reply(shell, "ch03.twice b")
    reply(shell, "ch03.count 2")
    shown = again()
    assert shown.stdout.splitlines() == [
        "5 predictions: 1 right, 3 not made yet.",
        "1 to look at again:",
        "  ch03.twice: How many elements leave the queue?",
    ]
    (output,) = shown.outputs
    assert output.data["text/plain"].startswith("Predict: How many elements")
    reply(shell, "ch03.twice a")
    assert again().stdout == "5 predictions: 2 right, 3 not made yet.\n"


def test_what_was_predicted_can_be_handed_in(shell, tmp_path):
    with pytest.raises(UsageError, match="Nothing is remembered yet"):
        shell.run_line_magic("predictions", f"save {tmp_path / 'anna.json'}")
    ask(shell, "twice", "1")
    reply(shell, "ch03.twice b")
    with capture_output():
        shell.run_line_magic("predictions", f"save {tmp_path / 'anna.json'}")
    made = json.loads((tmp_path / "anna.json").read_text(encoding="utf-8"))["predictions"]
    assert made["ch03.twice"] == {"first": ["2"], "knew": False, "right": False}


def test_a_course_can_hold_its_cells_to_what_they_should_give(shell, tmp_path, monkeypatch):
    (tmp_path / "truths").mkdir()
    (tmp_path / "truths" / "ch03.toml").write_text('twice = "1"\n', encoding="utf-8")
    monkeypatch.setenv("TINYTF_TRUTHS", str(tmp_path / "truths"))
    ask(shell, "twice", "1")
    with pytest.raises(AssertionError, match=r"'2'.*happened"):
        ask(shell, "twice", "2")
