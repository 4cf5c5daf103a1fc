"""What to say when a program asks for a name that is not here.

Three cases: something of TensorFlow's that tinytf does not have (yet), a name that TensorFlow has
given up, and a mistyped one. Looked at only after Python has found nothing: names that are there
are as fast as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

_LOW_LEVEL = "Build it of operations: tf.matmul, tf.nn.relu, tf.get_variable"
_FEED = "Feed the data: sess.run(fetches, feed_dict)"
_FILES = "Python's own open() and os do it while the graph is built"
_SPARSE = "tf.sparse_tensor_to_dense, and the operation on the dense tensor"
_RAGGED = "There are no ragged tensors: tf.string_split gives a sparse one"
_GROWTH = "tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))"
_TRANSFORM = "np.fft, in tf.py_func or before feeding"
_CONVOLUTION = "tf.nn.conv2d, with tf.expand_dims for what has fewer dimensions"
_DEPTHWISE = "tf.nn.conv2d for each channel, and tf.concat"
_SAVE = "Keep values with numpy: np.savez(file, *sess.run(variables)); v.load(value, sess)"

#: names of TensorFlow 1.x that are not part of tinytf yet -> what to do meanwhile
NOT_YET = {
    "FIFOQueue": _FEED, "GradientTape": "That is TensorFlow 2; here it is tf.gradients(ys, xs)",
    "PaddingFIFOQueue": _FEED, "PriorityQueue": _FEED, "RandomShuffleQueue": _FEED,
    "QueueBase": _FEED, "FixedLengthRecordReader": _FEED, "IdentityReader": _FEED,
    "TextLineReader": _FEED, "TFRecordReader": _FEED, "WholeFileReader": _FEED,
    "app.flags": "Python's argparse reads options", "flags": "Python's argparse reads options",
    "contrib": "It went with TensorFlow 2; its programs need TensorFlow 1.x itself",
    "data": _FEED, "decode_csv": _FEED, "decode_raw": _FEED, "parse_example": _FEED,
    "parse_single_example": _FEED, "read_file": _FEED, "matching_files": _FEED,
    "estimator": "Write the loop: sess.run(train_op, feed_dict)",
    "feature_column": _LOW_LEVEL, "function": "That is TensorFlow 2; here all is a graph",
    "gfile": _FILES, "io.gfile": _FILES, "python_io": _FILES, "write_file": _FILES,
    "is_tensor": "isinstance(x, tf.Tensor), or tf.Variable",
    "image": "Prepare images with numpy or Pillow, and feed them",
    "keras": _LOW_LEVEL, "layers": _LOW_LEVEL,
    "losses": "tf.reduce_mean(tf.square(a - b)), and the cross-entropies of tf.nn",
    "metrics": "tf.reduce_mean(tf.cast(tf.equal(a, b), tf.float32)) is the accuracy",
    "nn.dynamic_rnn": _LOW_LEVEL, "nn.rnn_cell": _LOW_LEVEL,
    "profiler": "tf.RunMetadata with FULL_TRACE, and tinytf.python.client.timeline",
    "saved_model": _SAVE, "train.Saver": _SAVE, "train.Checkpoint": _SAVE,
    "test.TestCase": "Python's unittest and np.testing do the same",
    "train.Coordinator": "Python's threading.Event says when to stop",
    "train.QueueRunner": _FEED, "train.start_queue_runners": _FEED, "train.batch": _FEED,
    "train.shuffle_batch": _FEED, "train.string_input_producer": _FEED, "train.Example": _FEED,
    "train.MonitoredTrainingSession": "tf.Session(server.target)",
    "train.MonitoredSession": "tf.Session", "train.SingularMonitoredSession": "tf.Session",
    "train.Supervisor": "tf.Session(server.target)",
    "train.replica_device_setter": "tf.device('/job:ps/task:0') around the variables",
    "train.SyncReplicasOptimizer": "One task computes a step for now",
    "VERSION": "tf.__version__ is tinytf's own", "GIT_VERSION": "tf.__version__ is tinytf's own",
    "sparse.reorder": "Sort the indices with numpy before feeding", "sparse.add": _SPARSE,
    "sparse.reduce_sum": _SPARSE, "sparse_add": _SPARSE, "sparse_reduce_sum": _SPARSE,
    "sparse.sparse_dense_matmul": _SPARSE, "sparse_tensor_dense_matmul": _SPARSE,
    "strings.bytes_split": _RAGGED, "strings.ngrams": _RAGGED,
    "strings.unicode_decode": _RAGGED, "strings.unicode_split": _RAGGED,
    "ConditionalAccumulator": "tf.add_n of the gradients, in one step",
    "CriticalSection": "use_locking=True in tf.assign_add",
    "config.experimental.set_memory_growth": _GROWTH,
    "config.experimental.set_virtual_device_configuration":
        "tinytf.devices.simulate_gpus(2, memory='2GiB')",
    "config.experimental.get_memory_info": "The command tinytf smi, or %smi in a notebook",
    "config.set_visible_devices": "tf.GPUOptions(visible_device_list='0'), in tf.ConfigProto",
    "config.set_soft_device_placement": "tf.ConfigProto(allow_soft_placement=True)",
    "distribute": "tf.device, and tf.train.Server", "distributions": "tf.random_normal and others",
    "edit_distance": "tf.py_func of a Python function", "enable_eager_execution": "Use tf.Session",
    "fft": _TRANSFORM, "fft2d": _TRANSFORM, "ifft": _TRANSFORM, "ifft2d": _TRANSFORM,
    "signal": _TRANSFORM, "spectral": _TRANSFORM,
    "get_session_handle": "tf.Variable keeps a value between steps",
    "init_scope": "tf.control_dependencies(None)",
    "load_op_library": "tf.user_ops.define_op, with kernels in Python; docs/own_ops.md",
    "linalg.LinearOperator": "The matrix itself: tf.matmul, tf.linalg.solve",
    "linalg.lu": "tf.linalg.qr or tf.linalg.solve",
    "lookup": "tf.gather finds values by number; number the keys with a Python dict",
    "no_gradient": "tf.NoGradient", "numpy_function": "tf.py_func",
    "nn.conv1d": _CONVOLUTION, "nn.conv3d": _CONVOLUTION, "nn.convolution": _CONVOLUTION,
    "nn.atrous_conv2d": "tf.nn.conv2d has dilations", "nn.separable_conv2d": _DEPTHWISE,
    "nn.depthwise_conv2d": _DEPTHWISE, "nn.depthwise_conv2d_native": _DEPTHWISE,
    "nn.bidirectional_dynamic_rnn": _LOW_LEVEL, "nn.static_rnn": _LOW_LEVEL,
    "nn.raw_rnn": _LOW_LEVEL, "nn.pool": "tf.nn.max_pool or tf.nn.avg_pool",
    "nn.embedding_lookup_sparse": "tf.nn.embedding_lookup and tf.segment_mean",
    "op_scope": "tf.name_scope(name, default_name, values)", "py_function": "tf.py_func",
    "queue": _FEED, "ragged": _RAGGED, "raw_ops": "The functions of tf build the same operations",
    "sets": "tf.setdiff1d, or Python's sets in tf.py_func",
    "sparse_concat": _SPARSE, "sparse_reorder": "Sort the indices with numpy before feeding",
    "sparse_reshape": _SPARSE, "sparse_slice": _SPARSE, "sparse_softmax": _SPARSE,
    "sparse_transpose": _SPARSE, "switch_case": "tf.case", "vectorized_map": "tf.map_fn",
    "tpu": "It needs TensorFlow itself", "xla": "It needs TensorFlow itself",
    "train.latest_checkpoint": _SAVE, "train.NewCheckpointReader": _SAVE,
    "train.SessionRunHook": "Do it in your own loop, between calls of sess.run",
    "train.LoggingTensorHook": "print(sess.run(tensor)), or tf.Print",
    "train.StopAtStepHook": "A Python loop over sess.run",
    "test.main": "Python's unittest.main() runs tests",
    "debugging.set_log_device_placement": "tf.ConfigProto(log_device_placement=True)",
    "debugging.enable_check_numerics": "tf.add_check_numerics_ops() checks a whole graph",
}  # fmt: skip

#: names that TensorFlow itself gave up -> what they are called since 1.0
RENAMED = {
    "audio_summary": "summary.audio",
    "batch_matmul": "matmul", "complex_abs": "abs", "histogram_summary": "summary.histogram",
    "image_summary": "summary.image", "inv": "reciprocal", "listdiff": "setdiff1d",
    "merge_all_summaries": "summary.merge_all", "mul": "multiply", "neg": "negative",
    "pack": "stack", "scalar_summary": "summary.scalar", "select": "where", "sub": "subtract",
    "train.SummaryWriter": "summary.FileWriter", "unpack": "unstack",
}  # fmt: skip


def explained(module: str, prefix: str = "") -> Callable[[str], NoReturn]:
    """A `__getattr__` for a module of the `tf` namespace.

    Args:
      module: its `__name__`. prefix: how users reach it below `tf`: "train", or "" for `tf`.

    Returns:
      a function that raises AttributeError for any name, in Python's words and with advice.

    Example:
      >>> tf.data
      AttributeError: module 'tinytf' has no attribute 'data': tf.data is not part of tinytf yet.
      Meanwhile: Feed the data: sess.run(fetches, feed_dict).
    """

    def __getattr__(name: str) -> NoReturn:
        message = f"module {module!r} has no attribute {name!r}"
        if not name.startswith("_"):
            message += _advice(module, prefix, name)
        # Without an object Python adds no suggestion of its own to ours.
        raise AttributeError(message, name=name, obj=None)

    return __getattr__


def _advice(module: str, prefix: str, name: str) -> str:
    path = f"{prefix}.{name}" if prefix else name
    if path in NOT_YET:
        return f": tf.{path} is not part of tinytf yet. Meanwhile: {NOT_YET[path]}."
    if path in RENAMED:
        return f": TensorFlow 1.x calls it tf.{RENAMED[path]}."
    import difflib

    public = [known for known in vars(sys.modules[module]) if not known.startswith("_")]
    near = difflib.get_close_matches(name, public, n=3)
    if not near:  # spelt right, but for capitals
        near = [known for known in public if known.lower() == name.lower()]
    start = f"tf.{prefix}." if prefix else "tf."
    return f". Did you mean {', '.join(start + known for known in near)}?" if near else ""
