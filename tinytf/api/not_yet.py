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
_IMAGES = "Prepare images with numpy or Pillow, and feed them"
_RAGGED = "There are no ragged tensors: tf.string_split gives a sparse one"
_GROWTH = "tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))"
_TRANSFORM = "np.fft, in tf.py_func or before feeding"
_CONVOLUTION = "tf.nn.conv2d, with tf.expand_dims for what has fewer dimensions"
_DEPTHWISE = "tf.nn.conv2d for each channel, and tf.concat"
_CSV = "tf.data.TextLineDataset(files).skip(1).map(lambda line: tf.decode_csv(line, defaults))"
_SAVE = "Keep values with numpy: np.savez(file, *sess.run(variables)); v.load(value, sess)"

#: names of TensorFlow 1.x that are not part of tinytf yet -> what to do meanwhile
NOT_YET = {
    "GradientTape": "That is TensorFlow 2; here it is tf.gradients(ys, xs)",
    "app.flags": "Python's argparse reads options", "flags": "Python's argparse reads options",
    "contrib.data": "tf.data, where most of it moved", "contrib.eager": "Use tf.Session",
    "contrib.layers": _LOW_LEVEL, "contrib.learn": _LOW_LEVEL, "contrib.rnn": _LOW_LEVEL,
    "contrib.slim": _LOW_LEVEL, "contrib.framework": "tf.train.get_or_create_global_step",
    "contrib.training.HParams": "A Python dict, or a dataclass",
    "data.experimental.CsvDataset": _CSV, "data.experimental.make_csv_dataset": _CSV,
    "data.experimental.SqlDataset": "Python's sqlite3 in tf.data.Dataset.from_generator",
    "data.experimental.make_batched_features_dataset":
        "tf.data.TFRecordDataset(files).batch(n).map(lambda x: tf.parse_example(x, features))",
    "data.experimental.parse_example_dataset":
        "dataset.map(lambda batch: tf.parse_example(batch, features))",
    "data.experimental.prefetch_to_device": "dataset.prefetch(1)",
    "data.experimental.dense_to_sparse_batch": "dataset.padded_batch(n)",
    "estimator": "Write the loop: sess.run(train_op, feed_dict)",
    "feature_column": _LOW_LEVEL, "function": "That is TensorFlow 2; here all is a graph",
    "is_tensor": "isinstance(x, tf.Tensor), or tf.Variable",
    "image.resize_images": _IMAGES, "image.random_flip_left_right": _IMAGES,
    "image.resize": _IMAGES, "image.convert_image_dtype": "tf.cast, and divide by 255",
    "image.flip_left_right": _IMAGES, "image.rgb_to_grayscale": "decode_png(..., channels=1)",
    "image.decode_and_crop_jpeg": "tf.image.decode_jpeg, and a slice of it",
    "io.decode_and_crop_jpeg": "tf.image.decode_jpeg, and a slice of it",
    "io.decode_proto": "tf.parse_example for tf.train.Example; tf.py_func for other messages",
    "io.encode_proto": "tf.py_func, with the message's own SerializeToString",
    "keras": _LOW_LEVEL, "layers": _LOW_LEVEL,
    "losses": "tf.reduce_mean(tf.square(a - b)), and the cross-entropies of tf.nn",
    "metrics": "tf.reduce_mean(tf.cast(tf.equal(a, b), tf.float32)) is the accuracy",
    "nn.dynamic_rnn": _LOW_LEVEL, "nn.rnn_cell": _LOW_LEVEL,
    "profiler": "tf.RunMetadata with FULL_TRACE, and tinytf.python.client.timeline",
    "saved_model": _SAVE, "train.Saver": _SAVE, "train.Checkpoint": _SAVE,
    "test.TestCase": "Python's unittest and np.testing do the same",
    "train.MonitoredTrainingSession": "tf.Session(server.target)",
    "train.MonitoredSession": "tf.Session", "train.SingularMonitoredSession": "tf.Session",
    "train.Supervisor": "tf.Session(server.target)",
    "train.SyncReplicasOptimizer": "Workers train at their own pace for now; a queue of tokens "
    "makes them wait for each other",
    "VERSION": "tf.__version__ is tinytf's own", "GIT_VERSION": "tf.__version__ is tinytf's own",
    "strings.bytes_split": _RAGGED, "strings.ngrams": _RAGGED,
    "strings.unicode_decode": _RAGGED, "strings.unicode_split": _RAGGED,
    "config.experimental.set_memory_growth": _GROWTH,
    "config.experimental.set_virtual_device_configuration":
        "tinytf.devices.simulate_gpus(2, memory='2GiB')",
    "config.experimental.get_memory_info": "The command tinytf smi, or %smi in a notebook",
    "config.set_visible_devices": "tf.GPUOptions(visible_device_list='0'), in tf.ConfigProto",
    "config.set_soft_device_placement": "tf.ConfigProto(allow_soft_placement=True)",
    "distribute": "tf.device, tf.train.replica_device_setter and tf.train.Server",
    "distributions": "tf.random_normal and others",
    "enable_eager_execution": "Use tf.Session",
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
    "op_scope": "tf.name_scope(name, default_name, values)", "py_function": "tf.py_func",
    "ragged": _RAGGED, "raw_ops": "The functions of tf build the same operations",
    "switch_case": "tf.case", "vectorized_map": "tf.map_fn",
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
      >>> tf.fft
      AttributeError: module 'tinytf' has no attribute 'fft': tf.fft is not part of tinytf yet.
      Meanwhile: np.fft, in tf.py_func or before feeding.
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
