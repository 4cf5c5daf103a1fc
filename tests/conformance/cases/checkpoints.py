"""Savers, and the operations that they are made of.

The checkpoints "saved" (V2) and "saved_v1" in tests/conformance/saved were written by TensorFlow:
`saver(tf)` below, with the folder fed.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FILES = "tests/conformance/saved"
#: Written to; the path is fed, and no recording has it. Processes of a test run have one each.
SCRATCH = Path(tempfile.gettempdir()) / "tinytf-conformance" / f"checkpoints-{os.getpid()}"
PARTS = ["4 3 0,2:-", "4 3 1,2:0,2", ""]


def variables(tf):
    """One of each kind: reference and resource, in parts and not, text, on a device and not."""
    with tf.device("/cpu:0"):
        tf.Variable([1.5, 2.5], name="v", use_resource=False)
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("w", initializer=tf.reshape(tf.range(12.0), [4, 3]))
        tf.Variable(3, name="r", use_resource=True)
    tf.Variable(["a", "", "bcd"], name="text", use_resource=False)
    return tf.global_variables()


def make_scratch():
    """The folder to write to, for as long as this process lives."""
    if not SCRATCH.is_dir():
        SCRATCH.mkdir(parents=True)
        atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)


def scratch(tf, name):
    """A placeholder of a path to write to, and its feed."""
    make_scratch()
    return fed(tf, np.array(str(SCRATCH / name).encode(), object), "string")


def saves(tf, file, **settings):
    """Save with a saver, and give the name of what it wrote, without its folder."""
    make_scratch()
    graph = tf.get_default_graph()
    initializers = [variable.initializer for variable in variables(tf)]
    saver = tf.train.Saver(**settings).as_saver_def()
    saved = graph.get_tensor_by_name(saver.save_tensor_name)
    path = graph.get_tensor_by_name(saver.filename_tensor_name)
    shown = tf.strings.regex_replace(saved, "^.*/", "")
    return Program(shown, feed={path: str(SCRATCH / file).encode()}, setup=initializers)


@case("SaveV2", "RestoreV2", each=[False, True])
def saver(tf, reshape):
    return saves(tf, "saver", reshape=reshape)


@case("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename")
def sharded_saver(tf):
    return saves(tf, "sharded_saver", sharded=True, name="mine", filename="of_old")


@case("SaveSlices", "RestoreV2")
def saver_of_the_old_format(tf):
    return saves(tf, "old", write_version=tf.train.SaverDef.V1)


@case("SaveSlices", "ShardedFilename", "ShardedFilespec")
def sharded_saver_of_the_old_format(tf):
    return saves(tf, "sharded_old", write_version=tf.train.SaverDef.V1, sharded=True)


@case("RestoreV2", each=["saved", "saved_v1"])
def restoring(tf, name):
    graph = tf.get_default_graph()
    before = variables(tf)
    saver = tf.train.Saver().as_saver_def()
    with tf.control_dependencies([graph.get_operation_by_name(saver.restore_op_name)]):
        values = [v.read_value() for v in before]
    path = graph.get_tensor_by_name(saver.filename_tensor_name)
    return Program(values, feed={path: f"{FILES}/{name}".encode()})


def restore(tf, name, names, slices, *dtypes):
    """The outputs of a RestoreV2."""
    types = tf.AttrValue(list=tf.AttrValue.ListValue(type=[t.as_datatype_enum for t in dtypes]))
    inputs = [tf.constant(f"{FILES}/{name}"), tf.constant(names), tf.constant(slices)]
    op = tf.get_default_graph().create_op("RestoreV2", inputs, dtypes, attrs={"dtypes": types})
    return list(op.outputs)


@case("RestoreV2", each=["saved", "saved_v1"])
def slices_of_a_checkpoint(tf, name):
    return restore(tf, name, ["parts/w"] * 3, PARTS, *[tf.float32] * 3)


@case("RestoreV2", error="Key x not found in checkpoint")
def a_name_that_was_not_saved(tf):
    return restore(tf, "saved", ["v", "x"], ["", ""], tf.float32, tf.float32)


@case(
    "RestoreV2", error="tensor_name = v; expected dtype double does not equal original dtype float"
)
def another_type_than_was_saved(tf):
    return restore(tf, "saved", ["v"], [""], tf.float64)


@case(
    "RestoreV2",
    error="tensor_name = parts/w; shape in shape_and_slice spec [4,4] does not match the shape "
    "stored in checkpoint: [4,3]",
)
def a_slice_of_another_shape(tf):
    return restore(tf, "saved", ["parts/w"], ["4 4 0,2:-"], tf.float32)


@case("RestoreV2", error="Failed to find any matching files for tests/conformance/saved/nothing")
def no_checkpoint(tf):
    return restore(tf, "nothing", ["v"], [""], tf.float32)


@case("RestoreV2", error="not an sstable (bad magic number)")
def a_file_that_is_no_checkpoint(tf):
    return restore(tf, "../files/rgb.png", ["v"], [""], tf.float32)


@case("RestoreV2", error="The number of shape_and_slice doesn't match tensor outputs.")
def fewer_slices_than_names(tf):
    return restore(tf, "saved", ["v", "r"], ["", ""], tf.float32)


def old(tf, kind, *inputs, dtype):
    attrs = {"dt": tf.AttrValue(type=dtype.as_datatype_enum), "preferred_shard": tf.AttrValue(i=-1)}
    inputs = [tf.constant(f"{FILES}/saved_v1"), *map(tf.constant, inputs)]
    return tf.get_default_graph().create_op(kind, inputs, [dtype], attrs=attrs).outputs[0]


@case("Restore", "RestoreSlice")
def restoring_one_of_the_old_format(tf):
    return [
        old(tf, "Restore", "v", dtype=tf.float32),
        old(tf, "Restore", "text", dtype=tf.string),
        old(tf, "Restore", "parts/w", dtype=tf.float32),
        *(old(tf, "RestoreSlice", "parts/w", part, dtype=tf.float32) for part in PARTS),
    ]


@case("Restore", error='Tensor name "x" not found in checkpoint files')
def a_name_that_was_not_saved_in_the_old_format(tf):
    return old(tf, "Restore", "x", dtype=tf.float32)


@case("Restore", error="tensor_name = v")
def another_type_in_the_old_format(tf):
    return old(tf, "Restore", "v", dtype=tf.float64)


def save(tf, kind, path, *inputs, types=1, attr="T"):
    attrs = {attr: tf.AttrValue(list=tf.AttrValue.ListValue(type=[1] * types))}
    inputs = [path, *map(tf.constant, inputs)]
    return tf.get_default_graph().create_op(kind, inputs, [], attrs=attrs)


@case("Save", "Restore")
def saving_in_the_old_format(tf):
    path, feed = scratch(tf, "one")
    saved = save(tf, "Save", path, ["a", "b"], [1.0, 2.0], 3.0, types=2)
    attrs = {"dt": tf.AttrValue(type=1), "preferred_shard": tf.AttrValue(i=-1)}
    with tf.control_dependencies([saved]):
        name = tf.identity(path)
        back = [
            tf.get_default_graph().create_op(
                "Restore", [name, tf.constant(key)], [tf.float32], attrs=attrs
            )
            for key in ("a", "b")
        ]
    return Program([op.outputs[0] for op in back], feed=feed)


@case("SaveV2", error="Adding duplicate key: a")
def the_same_name_twice(tf):
    path, feed = scratch(tf, "twice")
    two = [["a", "a"], ["", ""], [1.0], [2.0]]
    return Program(save(tf, "SaveV2", path, *two, types=2, attr="dtypes"), feed=feed)


@case("SaveV2", error="Slice in shape_and_slice specification does not match the shape of the")
def a_slice_that_is_not_one(tf):
    path, feed = scratch(tf, "slice")
    one = [["a"], ["4 3 0,2:-"], [1.0]]
    return Program(save(tf, "SaveV2", path, *one, attr="dtypes"), feed=feed)


@case("SaveV2", error="Dimension must be 1 but is 2")
def fewer_tensors_than_names(tf):
    path, feed = scratch(tf, "fewer")
    one = [["a", "b"], ["", ""], [1.0]]
    return Program(save(tf, "SaveV2", path, *one, attr="dtypes"), feed=feed)


@case("SaveV2", error="Shape must be rank 0 but is rank 1")
def two_prefixes(tf):
    one = [["a"], [""], [1.0]]
    return save(tf, "SaveV2", tf.constant(["a", "b"]), *one, attr="dtypes")


@case("SaveV2", error="; No such file or directory")
def a_folder_that_is_not_there(tf):
    one = [["a"], [""], [1.0]]
    return save(tf, "SaveV2", tf.constant("/dev/null-and-void/a/b"), *one, attr="dtypes")


@case("ShardedFilename", "ShardedFilespec")
def names_of_shards(tf):
    graph = tf.get_default_graph()
    base, count = tf.constant("model"), tf.constant(12)
    file = graph.create_op("ShardedFilename", [base, tf.constant(3), count], [tf.string])
    spec = graph.create_op("ShardedFilespec", [base, count], [tf.string])
    return [file.outputs[0], spec.outputs[0]]


@case("ShardedFilename", error="Shape must be rank 0 but is rank 1")
def names_of_several_shards(tf):
    inputs = [tf.constant("model"), tf.constant([1, 2]), tf.constant(3)]
    return tf.get_default_graph().create_op("ShardedFilename", inputs, [tf.string]).outputs[0]


@case("MergeV2Checkpoints", error="Shape must be rank 1 but is rank 0")
def merging_one_prefix(tf):
    flags = {name: tf.AttrValue(b=False) for name in ("delete_old_dirs", "allow_missing_files")}
    inputs = [tf.constant("a"), tf.constant("b")]
    return tf.get_default_graph().create_op("MergeV2Checkpoints", inputs, [], attrs=flags)


@case("DisableCopyOnRead")
def a_read_without_a_copy(tf):
    """What TensorFlow's savers do first with a part of a resource variable."""
    v = tf.Variable([1.0, 2.0], use_resource=True)
    off = tf.get_default_graph().create_op("DisableCopyOnRead", [v.handle], [])
    with tf.control_dependencies([off]):
        return Program(v.read_value(), setup=[v.initializer])
