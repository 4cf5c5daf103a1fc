"""What a class predicted."""

import pytest

from tests.grading.asking import write_questions
from tinytf import cli
from tinytf.grading import exercise
from tinytf.grading.progress import forget, kept, note_prediction


@pytest.fixture
def inbox(file, tmp_path, monkeypatch):
    """The files of Anna, who knew; of Ben, who learnt; of Eva, who thinks like Ben."""
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path / "course"))
    write_questions(tmp_path / "course")
    paths = []
    for name, replies in {"anna": ["1"], "ben": ["3", "1"], "eva": ["3"]}.items():
        forget()
        for reply in replies:
            note_prediction("ch03.twice", (reply,), right=reply == "1")
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_bytes(file.read_bytes())
    return paths


def run(*arguments):
    return cli.main(["grade", "predictions", *map(str, arguments)])


def test_it_shows_who_knew_and_which_wrong_ideas_are_common(inbox, capsys):
    assert run("ch03", *inbox) == 0
    said = capsys.readouterr().out
    assert "3 learners" in said
    assert "ch03.twice: 1 of 3 knew. How many elements leave the queue?\n     2  3\n" in said
    assert "ch03.count: nobody has predicted it. How many operations?" in said


def test_a_file_that_is_not_there_is_no_learner(inbox, capsys):
    assert run("ch03", inbox[0], inbox[0].with_name("*.json")) == 1
    assert "no file" in capsys.readouterr().out
    assert run("ch03", inbox[0]) == 0
    assert "1 learner, what" in capsys.readouterr().out


def test_what_was_learnt_is_remembered_beside_what_was_thought_first(inbox, file):
    file.write_bytes(inbox[1].read_bytes())
    ben = kept().predictions["ch03.twice"]
    assert (ben.first, ben.knew, ben.right) == (("3",), False, True)


@pytest.mark.parametrize("content", ["", "{}", '{"format": 2, "exercises": {}, "predictions": 7}'])
def test_a_file_that_is_none_is_named(inbox, capsys, tmp_path, content):
    other = tmp_path / "other.json"
    other.write_text(content, encoding="utf-8")
    assert run("ch03", inbox[0], other) == 1
    assert str(other) in capsys.readouterr().out
    assert other.read_text(encoding="utf-8") == content


def test_a_chapter_without_questions_says_so(inbox, capsys):
    assert run("ch77", *inbox) == 1
    assert "ch77 has no predictions" in capsys.readouterr().out


def test_a_file_of_before_there_were_predictions_is_read(file):
    file.parent.mkdir(parents=True)
    old = '{"format": 1, "exercises": {"ch03.ex1": {"tries": 1, "best": {"6": 4}}}}'
    file.write_text(old, encoding="utf-8")
    note_prediction("ch03.twice", ("1",), right=True)
    assert kept().exercises["ch03.ex1"].best == {6: 4}
    assert kept().predictions["ch03.twice"].knew
