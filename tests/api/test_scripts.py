"""How scripts begin and end: flags, `tf.app.run`, logging, and what they ask about the library.

The cases of script_cases.py run under tinytf, and are compared with what TensorFlow gave
(recorded_scripts.json), and gives where there is one. To record them:

    cd tests/api
    ../../.venv-tensorflow/bin/python script_cases.py tensorflow > recorded_scripts.json
"""

import functools
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import tinytf as tf
from tests.api.script_cases import CASES
from tests.oracle.environment import ROOT, tensorflow_environment, tensorflow_python

SCRIPT = Path(__file__).with_name("script_cases.py")
RECORDED = json.loads(SCRIPT.with_name("recorded_scripts.json").read_text())
#: Where tinytf differs on purpose: part of the answer, and why.
DIFFERENCES = {
    "old argument names": {"err": ""},  # they still say what is meant; nothing to warn of
    "compat": {"err": ""},  # a day that is past is ignored without a warning
    "small names": {"err": ""},  # tf.op_scope still says what is meant
}


@functools.cache
def answers(python, library):
    environment = tensorflow_environment()
    if library == "tinytf":
        environment["PYTHONPATH"] = str(ROOT)
    command = [str(python), str(SCRIPT), library]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_scripts_do_what_they_do_in_tensorflow(name):
    expected = RECORDED[name] | DIFFERENCES.get(name, {})
    assert expected != RECORDED[name] or name not in DIFFERENCES
    assert answers(sys.executable, "tinytf")[name] == expected


@pytest.mark.tensorflow
@pytest.mark.timeout(180)
def test_what_is_recorded_is_what_tensorflow_does():
    assert answers(tensorflow_python(), "tensorflow") == RECORDED


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


def test_what_absl_defines_for_itself_may_be_defined():
    program = (
        "import sys, tinytf as tf\n"
        "tf.app.flags.DEFINE_string('log_dir', '/tmp/logs', 'where summaries go')\n"
        "sys.argv = ['prog', '--log_dir=here']\n"
        "tf.app.run(main=lambda argv: print(argv, tf.app.flags.FLAGS.log_dir))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("['prog'] here\n", "", 0)


def test_the_line_of_a_message_is_the_program_s(caplog):
    tf.logging.warn("one")
    tf.logging.log_if(tf.logging.ERROR, "two", True)
    tf.logging.log_first_n(tf.logging.ERROR, "three", 1)
    tf.logging.error("four", exc_info=ValueError("why"))
    assert [record.filename for record in caplog.records] == ["test_scripts.py"] * 4
    assert caplog.records[3].exc_info[0] is ValueError
