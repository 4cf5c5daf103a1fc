"""Beginnings and ends of scripts, run under tinytf or under TensorFlow; see test_scripts.py.

    python tests/api/script_cases.py tinytf|tensorflow

Each case is a program of its own, in a process forked after the library was imported. Printed is,
as JSON, for each: what it wrote, the last line of its errors, and its exit status.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import textwrap
import traceback

#: the program of between-graph replication that circulated most, without its training
DISTRIBUTED = """
    flags = tf.app.flags
    flags.DEFINE_string("ps_hosts", "localhost:2222", "hosts of parameter servers, by commas")
    flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224", "hosts of workers")
    flags.DEFINE_string("job_name", None, "'ps' or 'worker'")
    flags.DEFINE_integer("task_index", 0, "index of the task in its job")
    flags.DEFINE_float("learning_rate", 0.01, "learning rate")
    flags.DEFINE_boolean("sync_replicas", False, "aggregate gradients before applying them")
    FLAGS = flags.FLAGS

    def main(unused_argv):
        cluster = tf.train.ClusterSpec({
            "ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
        device = "/job:worker/task:%d" % FLAGS.task_index
        with tf.device(tf.train.replica_device_setter(worker_device=device, cluster=cluster)):
            v = tf.Variable(0.0, name="v", use_resource=False)
        print(FLAGS.job_name, v.device, cluster.num_tasks("worker"))
        print(unused_argv[1:], FLAGS.learning_rate, FLAGS.sync_replicas)

    if __name__ == "__main__":
        tf.app.run(main=main)
"""
_TWO = """
    tf.flags.DEFINE_string("name", "x", "a name")
    tf.flags.DEFINE_integer("steps", 3, "how many")
    FLAGS = tf.flags.FLAGS
"""

#: name -> (arguments, program)
CASES = {
    "distributed": (["--job_name=worker", "--task_index", "1", "--sync_replicas"], DISTRIBUTED),
    "distributed, ps": (["--job_name", "ps", "--ps_hosts=a:1,b:2", "data.csv"], DISTRIBUTED),
    "help": (["--help"], DISTRIBUTED + "    # help goes to standard output"),
    "a wrong value": (["--task_index=first"], DISTRIBUTED),
    "no value": (["--task_index"], DISTRIBUTED),
    "unknown flags are left to main": (["--nope=1", "--job_name=ps", "-q"], DISTRIBUTED),
    "nothing after two dashes": (["--", "--job_name=ps"], DISTRIBUTED),
    "main of the script": ([], "def main(_): print('main')\n    tf.app.run()"),
    "status": ([], "tf.app.run(main=lambda _: 3)"),
    "status of a text": ([], "tf.app.run(main=lambda _: 'gone wrong')"),
    "an error": ([], "def main(_): raise ValueError('why')\n    tf.app.run(main)"),
    "argv": (
        ["--name=from_sys"],
        _TWO
        + """
    given = ["prog", "--name=given", "rest"]
    tf.app.run(main=lambda argv: print(argv, FLAGS.name), argv=given)""",
    ),
    "read without app.run": (
        ["--steps=5", "rest"],
        _TWO
        + """
    print(FLAGS.steps, FLAGS.name, FLAGS.is_parsed())""",
    ),
    "read without app.run, an unknown flag": (["--stepz=5"], _TWO + "    print(FLAGS.steps)"),
    "called": (
        [],
        _TWO
        + """
    print(tf.flags.FLAGS(["prog", "--steps=7", "a", "b"]), FLAGS.steps)
    print(FLAGS(["prog", "--name=q"]), FLAGS.name, FLAGS.steps)""",
    ),
    "called with an unknown flag": ([], _TWO + "    FLAGS(['prog', '--nope'])"),
    "known only": ([], _TWO + "    print(FLAGS(['prog', '--nope', '--steps=1'], known_only=True))"),
    "values": (
        ["--steps=9"],
        _TWO
        + """
    FLAGS.name = "set"
    print(FLAGS.name, FLAGS["steps"].value, "steps" in FLAGS, "nope" in FLAGS)
    print({k: v for k, v in FLAGS.flag_values_dict().items() if k in ("name", "steps")})
    print(sorted(k for k, v in FLAGS.__flags.items() if k in ("name", "steps")))
    print(hasattr(FLAGS, "nope"), [n for n in FLAGS if n in ("name", "steps")], len(FLAGS) > 2)
    del FLAGS.name
    print("name" in FLAGS, "steps" in dir(FLAGS))""",
    ),
    "not a flag": ([], _TWO + "    FLAGS.nope"),
    "set what is no flag": ([], _TWO + "    FLAGS.nope = 1"),
    "a wrong type": ([], _TWO + "    FLAGS(['prog'])\n    FLAGS.steps = 'three'"),
    "old argument names": (
        ["--b=2"],
        """
    tf.app.flags.DEFINE_integer(flag_name="b", default_value=1, docstring="a number")
    print(tf.app.flags.FLAGS.b, tf.app.flags.FLAGS["b"].help)""",
    ),
    "defined twice": ([], _TWO + "    tf.flags.DEFINE_string('name', 'y', 'again')"),
    "required": (
        [],
        _TWO
        + """
    tf.flags.mark_flag_as_required("name")
    tf.flags.DEFINE_string("data", None, "where")
    tf.flags.mark_flag_as_required("data")
    tf.app.run(main=lambda _: None)""",
    ),
    "kinds": (
        ["--l=a,b", "--e=two", "--m=1", "--m=2", "--nob", "--f=1e3"],
        """
    tf.flags.DEFINE_list("l", [], "list")
    tf.flags.DEFINE_enum("e", "one", ["one", "two"], "enum")
    tf.flags.DEFINE_multi_integer("m", [], "several")
    tf.flags.DEFINE_bool("b", True, "bool")
    tf.flags.DEFINE_float("f", 1.0, "float")
    F = tf.flags.FLAGS
    print(F.l, F.e, F.m, F.b, F.f)""",
    ),
    "an enum's wrong value": (
        ["--e=three"],
        """
    tf.flags.DEFINE_enum("e", "one", ["one", "two"], "enum")
    tf.app.run(main=lambda _: None)""",
    ),
    "validators": (
        ["--steps=-1"],
        _TWO
        + """
    tf.flags.register_validator("steps", lambda n: n > 0, message="steps must be positive")
    tf.app.run(main=lambda _: None)""",
    ),
    "logging": (
        [],
        """
    tf.logging.set_verbosity(tf.logging.INFO)
    import sys, logging
    logging.getLogger(tf.get_logger().name).handlers[0].setStream(sys.stdout)
    for n in range(5):
        tf.logging.log_every_n(tf.logging.WARN, "every %d", 2, n)
    tf.logging.vlog(tf.logging.DEBUG, "hidden")
    tf.logging.vlog(tf.logging.ERROR, "shown %s", "so")
    tf.logging.TaskLevelStatusMessage("task")
    tf.logging.log_if(tf.logging.FATAL, "if", True)
    print(tf.logging.get_verbosity())""",
    ),
    "logging, the first": (
        [],
        """
    import sys, logging
    tf.logging.set_verbosity(tf.logging.WARN)
    logging.getLogger(tf.get_logger().name).handlers[0].setStream(sys.stdout)
    for n in range(5):
        tf.logging.log_first_n(tf.logging.WARN, "first %d", 2, n)""",
    ),
    "compat": (
        [],
        """
    import pathlib
    c = tf.compat
    print(c.as_bytes("a"), c.as_bytes(bytearray(b"a")), c.as_text(b"a"), c.as_str("a"))
    print([c.as_str_any(x) for x in (b"a", "a", 1, None, tf.Dimension(3), bytearray(b"a"))])
    print(c.path_to_str(pathlib.Path("/x")), c.path_to_str(b"x"), c.path_to_str(3))
    print(c.dimension_value(tf.Dimension(3)), c.dimension_value(None), c.dimension_value(2))
    for shape in ([2, None], None):
        print(c.dimension_at_index(tf.TensorShape(shape), 1))
    print(c.bytes_or_text_types, c.complex_types, c.integral_types, c.real_types)
    print(c.forward_compatible(2023, 10, 9), c.forward_compatible(2023, 10, 10))
    for year in (2018, 2030):  # the past is ignored
        with c.forward_compatibility_horizon(year, 1, 2):
            print(c.forward_compatible(year, 1, 1), c.forward_compatible(year, 1, 2))
    print(c.forward_compatible(2024, 1, 1))""",
    ),
    "versions": (
        [],
        """
    print(tf.GRAPH_DEF_VERSION, tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER)
    print(tf.Graph().as_graph_def().versions.producer == tf.GRAPH_DEF_VERSION)
    print(all(getattr(tf, n) == getattr(tf.version, n) for n in ("VERSION", "GIT_VERSION")))
    print([type(x).__name__ for x in (tf.VERSION, tf.GIT_VERSION, tf.COMPILER_VERSION)])""",
    ),
    "resources": (
        [],
        """
    import os
    here = os.path.dirname(os.path.abspath(__file__))
    loader = tf.resource_loader
    print(loader.get_data_files_path() == here, loader.readahead_file_path("a"))
    print(loader.get_path_to_datafile("a") == os.path.join(here, "a"))
    try:
        loader.load_resource("no/such/file")
    except IOError as error:
        print(type(error).__name__)""",
    ),
    "small names": (
        [],
        """
    import numpy as np
    with tf.op_scope([], None, "layer") as scope:
        print(scope, tf.constant(1.0, name="c").name)
    with tf.op_scope([tf.constant(2.0)], "given", "layer") as scope:
        print(scope)
    one = tf.numpy_function(np.cumsum, [[1.0, 2.0]], tf.float32)
    two = tf.numpy_function(lambda x, y: (x + y, x - y), [1.0, 2.0], [tf.float32] * 2, name="two")
    with tf.Session() as session:
        print(one.op.type, one.name, one.shape, session.run(one), two)
        print([float(x) for x in session.run(two)])
    print(sorted(kind.name for kind in tf.QUANTIZED_DTYPES))
    tf.disable_control_flow_v2(), tf.disable_tensor_equality(), tf.disable_v2_tensorshape()
    print(tf.control_flow_v2_enabled(), tf.constant(1) == 1, tf.TensorShape([2])[0])""",
    ),
    "is_tensor": (
        [],
        """
    v = tf.Variable(1.0, use_resource=False)
    s = tf.SparseTensor([[0]], [1], [2])
    i = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    for x in (tf.constant(1), v, s, i, 1, tf.no_op(), tf.TensorArray(tf.float32, 2), "a"):
        print(tf.is_tensor(x))""",
    ),
}


def run(library, arguments: list[str], program: str) -> dict[str, object]:
    """Run one program in a process forked from this one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prog.py")
        source = textwrap.dedent("    " + program.lstrip("\n ")).lstrip()
        with open(path, "w") as file:
            file.write(source)
        outputs = [os.path.join(folder, name) for name in ("out", "err")]
        child = os.fork()
        if child == 0:
            _run_here(library, path, arguments, outputs)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(outputs[0]) as out, open(outputs[1]) as err:
            lines = [line for line in err.read().splitlines() if line.strip()]
            texts = [out.read(), lines[-1] if lines else ""]
        texts = [text.replace(folder, "...").replace("tensorflow", "tinytf") for text in texts]
        return {"out": texts[0], "err": texts[1], "status": status}


def _run_here(library, path: str, arguments: list[str], outputs: list[str]) -> None:
    for number, output in zip((1, 2), outputs):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), number)
    status = 0
    sys.argv = [path, *arguments]
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    vars(module).update(tf=library, __file__=path)
    try:
        with open(path) as file:
            exec(compile(file.read(), path, "exec"), vars(module))  # noqa: S102
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    if sys.argv[1] == "tinytf":
        import tinytf as library
    else:
        import tensorflow.compat.v1 as library

        library.disable_v2_behavior()
    found = {name: run(library, *case) for name, case in CASES.items()}
    print(json.dumps(found, indent=1))
