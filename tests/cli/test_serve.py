"""`tinytf serve`: what it says when it cannot serve."""

import pytest

from tinytf.cli import main


@pytest.mark.parametrize(
    ("arguments", "words", "option"),
    [
        (["--cluster", "worker=localhost:0,localhost:0"], "task_index", "Here: --task."),
        (["--cluster", "ps=localhost:0", "worker=localhost:0"], "job_name", "Here: --job."),
        (["--cluster", "a=0.0.0.0:0"], "others can reach", "Here: --allow-remote-clients."),
        (["--cluster", "localhost:0"], "Could not understand 'localhost:0'", "ps=localhost:2221"),
    ],
)
def test_a_mistake_is_explained_in_the_words_of_the_command_line(arguments, words, option, capsys):
    assert main(["serve", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert option in said
