"""Names of the `tf` namespace: older ones, missing ones, mistyped ones."""

import logging
import re
import subprocess
import sys

import pytest

import tinytf as tf
from tinytf.api.not_yet import NOT_YET, RENAMED


def reached(path):
    """What `tf.<path>` gives."""
    found = tf
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("path", sorted(NOT_YET))
def test_what_is_not_there_yet_is_said_to_be_so(path):
    with pytest.raises(AttributeError, match=re.escape(f"tf.{path} is not part of tinytf yet. ")):
        reached(path)


@pytest.mark.parametrize("path", sorted(RENAMED))
def test_names_that_tensorflow_gave_up_lead_to_the_ones_it_has(path):
    with pytest.raises(AttributeError, match=f"TensorFlow 1.x calls it tf.{RENAMED[path]}"):
        reached(path)


def test_advice_names_only_what_is_there():
    advised = {
        path for advice in NOT_YET.values() for path in re.findall(r"\btf\.([\w.]*\w)", advice)
    }
    missing = [path for path in advised if not hasattr_path(path)]
    assert advised
    assert not missing
    assert [name for name in RENAMED.values() if not hasattr_path(name)] == []


def hasattr_path(path):
    try:
        reached(path)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("placholder", "tf.placeholder"),
        ("reduce_summ", "tf.reduce_sum"),
        ("nn.rellu", "tf.nn.relu"),
        ("train.AdamOptimiser", "tf.train.AdamOptimizer"),
        ("graph", "tf.Graph"),
    ],
)
def test_mistyped_names_get_near_ones(path, near):
    with pytest.raises(AttributeError, match=f"Did you mean .*{near}"):
        reached(path)


def test_names_like_nothing_get_python_s_words_alone():
    with pytest.raises(AttributeError) as caught:
        tf.zzqqxx  # noqa: B018
    assert str(caught.value) == "module 'tinytf' has no attribute 'zzqqxx'"
    with pytest.raises(AttributeError) as caught:
        tf.__wrapped__  # noqa: B018
    assert str(caught.value) == "module 'tinytf' has no attribute '__wrapped__'"


def test_programs_may_ask_whether_a_name_is_there():
    assert not hasattr(tf, "estimator")
    assert getattr(tf, "keras", None) is None
    assert hasattr(tf, "constant")


def test_messages_show_from_their_level_on(caplog):
    before = tf.logging.get_verbosity()
    try:
        tf.logging.set_verbosity(tf.logging.ERROR)
        tf.logging.warning("hidden %d", 1)
        tf.logging.error("shown %d", 2)
        tf.logging.log_if(tf.logging.FATAL, "not so", False)
        tf.logging.log_if(tf.logging.FATAL, "so %s", True, "far")
    finally:
        tf.logging.set_verbosity(before)
    assert caplog.messages == ["shown 2", "so far"]
    assert tf.get_logger() is logging.getLogger("tinytf")


def test_a_message_goes_to_standard_error():
    program = "import tinytf as tf; tf.logging.warn('careful'); tf.logging.info('chatter')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == "WARNING:tinytf:careful\n"


def test_app_run_calls_main_with_the_arguments_and_exits():
    seen = []

    def main(arguments):
        seen.append(arguments)
        return 3

    with pytest.raises(SystemExit) as left:
        tf.app.run(main, ["program", "--steps=2"])
    assert (seen, left.value.code) == ([["program", "--steps=2"]], 3)


def test_app_run_finds_the_main_of_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import tinytf as tf\n"
        "def main(_):\n"
        "    print(tf.Session().run(tf.constant('Hello')))\n"
        "if __name__ == '__main__':\n"
        "    tf.app.run()\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "b'Hello'\n")
