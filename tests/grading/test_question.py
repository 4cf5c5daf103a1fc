"""Questions: what they offer, what a reply means, what is wrong with a file of them."""

import pytest

from tests.grading.asking import write_questions
from tinytf.grading import exercise, question
from tinytf.grading.question import NoReplyError, UnknownQuestionError


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path))
    write_questions(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "typed", "reply"),
    [
        ("twice", "b", ("2",)),
        ("twice", " C ", ("3",)),
        ("twice", "3", ("3",)),
        ("fed", "InvalidArgumentError", ("InvalidArgumentError",)),
        ("count", "2.0", ("2",)),
        ("count", "-1e3", ("-1000",)),
        ("order", "b a c", ("take", "put", "close")),
        ("order", "close, put take", ("close", "put", "take")),
        ("last", "loss/sum", ("loss/sum",)),
    ],
)
def test_what_is_typed_is_understood(name, typed, reply):
    assert question.find(f"ch03.{name}").parse(typed) == reply


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("twice", "d"),
        ("twice", "a b"),
        ("twice", ""),
        ("count", "many"),
        ("order", "a b"),
        ("order", "a a b"),
        ("order", "a b c d"),
    ],
)
def test_what_is_no_reply_says_what_would_be_one(name, typed):
    with pytest.raises(NoReplyError, match=r"is no number|type (one of|all of)"):
        question.find(f"ch03.{name}").parse(typed)


@pytest.mark.parametrize(
    ("name", "reply", "value", "right"),
    [
        ("twice", ("1",), 1, True),
        ("twice", ("3",), 1, False),
        ("count", ("2",), 2.5, True),
        ("count", ("2",), 2.6, False),
        ("count", ("2",), "TypeError", False),
        ("order", ("put", "take", "close"), ["put", "take", "close"], True),
        ("order", ("take", "put", "close"), ["put", "take", "close"], False),
        ("last", ("sum",), "sum", True),
    ],
)
def test_right_is_what_happened(name, reply, value, right):
    asked = question.find(f"ch03.{name}")
    assert asked.is_right(reply, asked.reply_of(value)) is right


def test_of_several_operations_the_order_does_not_matter(course):
    write_questions(course, text='[two]\nquestion = "?"\noperations = 2\nwhy = "so"')
    asked = question.find("ch03.two")
    assert asked.is_right(("b", "a"), asked.reply_of(["a", "b"]))
    assert not asked.is_right(("b", "c"), asked.reply_of(["a", "b"]))


def test_replies_are_shown_as_a_reader_reads_them():
    asked = question.of_chapter("ch03")
    assert asked["ch03.fed"].shown(("InvalidArgumentError",)) == "an error"
    assert (
        asked["ch03.order"].shown(("take", "put", "close")) == "taken out, then put in, then closed"
    )
    assert asked["ch03.count"].shown(("2",)) == "2 operations"
    assert asked["ch03.count"].shown(("1",)) == "1 operation"


def test_an_unknown_question_names_those_that_are_near():
    with pytest.raises(UnknownQuestionError, match=r"'ch03\.twise'.*Perhaps: ch03\.twice"):
        question.find("ch03.twise")
    with pytest.raises(UnknownQuestionError, match="come with the course"):
        question.find("ch77.twice")


@pytest.mark.parametrize(
    "text",
    [
        '[x]\nquestion = "?"\nwhy = "so"',
        '[x]\nquestion = "?"\nchoices = ["1", "2"]',
        '[x]\nquestion = "?"\nwhy = "so"\nchoices = ["1"]',
        '[x]\nquestion = "?"\nwhy = "so"\nchoices = ["1", "1"]',
        '[x]\nquestion = "?"\nwhy = "so"\nchoices = ["1", "2"]\nnumber = "n"',
        '[x]\nquestion = "?"\nwhy = "so"\nchoices = ["1", "2"]\nhint = "?"',
        '[x]\nquestion = "?"\nwhy = "so"\nchoices = ["1", "2"]\nbecause.3 = "?"',
        "[x\n",
    ],
)
def test_a_file_that_is_not_complete_names_itself(course, text):
    path = write_questions(course, text=text)
    with pytest.raises(ValueError, match=str(path)):
        question.of_chapter("ch03")
