"""What is meant to become of TensorFlow's names that are not here, and what to use instead.

Read by `names.py` when a name is missing. A name has the plan of its own, else that of the nearest
module around it; "module.*" stands for what is in a module but not for the module itself. Which
names are here is not said here: they are looked up.
"""

from __future__ import annotations

import re


def _by_name(text: str) -> dict[str, str]:
    """Advice, and indented below it the names that it is for, as name -> advice."""
    blocks = re.findall(r"((?:^\S.*\n)+)((?:^ .*\n)+)", text, re.MULTILINE)
    return {name: " ".join(advice.split()) for advice, names in blocks for name in names.split()}


#: not here yet, but to come: what to do meanwhile, and for which names and modules
PLANNED = _by_name("""
tf.train.get_or_create_global_step, tf.get_variable, tf.trainable_variables
    contrib.framework
Build it of operations: tf.matmul, tf.nn.relu, tf.get_variable
    contrib.layers contrib.slim
tf.train.SyncReplicasOptimizer averages the workers' gradients
    contrib.opt.ElasticAverageCustomGetter contrib.opt.ElasticAverageOptimizer
    contrib.opt.ModelAverageCustomGetter contrib.opt.ModelAverageOptimizer
tf.contrib.seq2seq.GreedyEmbeddingHelper takes the most likely id at each step
    contrib.seq2seq.BeamSearchDecoder contrib.seq2seq.BeamSearchDecoderOutput
    contrib.seq2seq.BeamSearchDecoderState contrib.seq2seq.FinalBeamSearchDecoderOutput
    contrib.seq2seq.gather_tree contrib.seq2seq.tile_batch
np.fft, in tf.py_func or before feeding
    contrib.signal
Build it of tf.nn's operations
    contrib.nn
tf.control_dependencies(None)
    init_scope
tf.train.Saver saves variables, with the graph beside them
    train.Checkpoint train.CheckpointManager
""")

#: not here, and not to come: why, and what to use, and for which names and modules
NEVER = _by_name("""
that is TensorFlow 2's way; here all is a graph: tf.Session runs it, tf.gradients(ys, xs)
differentiates it
    GradientTape enable_eager_execution contrib.eager config.experimental_connect_to_cluster
    config.experimental_connect_to_host config.experimental_run_functions_eagerly
that is TensorFlow 2's way; tinytf is TensorFlow 1.x
    enable_v2_behavior contrib.checkpoint
that is TensorFlow 2's way; here a Python function that builds the graph needs no decorator, and
for if and while there are tf.cond and tf.while_loop
    function
a Python function that builds the graph is called like any other
    wrap_function
tf.custom_gradient says what is computed again
    recompute_grad
tf.train.batch gathers what several threads bring
    nondifferentiable_batch_function contrib.batching
use tf.map_fn
    vectorized_map
use tf.case
    switch_case
use tf.py_func, which gets and gives numpy arrays
    py_function
Python's if and while are not rewritten here: use tf.cond and tf.while_loop
    autograph contrib.autograph
there are no ragged tensors: tf.string_split gives a sparse one
    ragged RaggedTensor RaggedTensorSpec
use tf.TensorSpec and tf.SparseTensorSpec, which describe elements
    IndexedSlicesSpec TensorArraySpec TypeSpec data.DatasetSpec
a tf.errors.OutOfRangeError from sess.run says that there is no next element
    OptionalSpec
use a function that builds the graph, in a tf.variable_scope
    Module
use tf.TFRecordReader, after writing the records with tf.python_io.TFRecordWriter
    LMDBReader
it is TensorFlow's own inside
    pywrap_tensorflow errors.raise_exception_on_not_ok_status contrib.cmake
there is no arithmetic in 8 bits here: compute in tf.float32, tf.cast the result
    quantization dequantize quantize quantize_v2 quantized_concat fake_quant_with_min_max_args
    fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
    fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
    fake_quant_with_min_max_vars_per_channel_gradient nn.quantized_avg_pool nn.quantized_conv2d
    nn.quantized_max_pool nn.quantized_relu_x train.do_quantize_training_on_graphdef
    contrib.quantization contrib.quantize
use tf.nn.conv2d of slices, and tf.stack
    extract_volume_patches
there is no C++ here: tf.user_ops.define_op takes kernels in Python; docs/own_ops.md
    load_file_system_library load_library load_op_library
it only shows how an op is added; tf.user_ops.define_op adds one of your own
    user_ops.my_fact
use time.time(), in tf.py_func
    timestamp
use tf.strings.to_hash_bucket_strong, or hashlib in tf.py_func
    fingerprint
there is one kind of control flow and of shapes here, TensorFlow 1's: nothing to switch
    enable_control_flow_v2 enable_v2_tensorshape enable_tensor_equality
that is TensorFlow 2's way; tinytf is TensorFlow 1.x: there is tf.compat.v1
    compat.v2
Python's wave module reads sound, in tf.py_func or before feeding
    audio
sessions are configured by tf.ConfigProto
    config.experimental
it is said in the session's configuration:
tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    config.experimental.get_memory_growth config.experimental.set_memory_growth
use the command tinytf smi, or %smi in a notebook
    config.experimental.get_memory_info contrib.memory_stats
simulated GPUs are made by tinytf.devices.simulate_gpus(2, memory='2GiB')
    config.experimental.set_virtual_device_configuration
    config.experimental.VirtualDeviceConfiguration
it is tf.GPUOptions(visible_device_list='0'), in tf.ConfigProto
    config.experimental.set_visible_devices config.set_visible_devices
it is tf.ConfigProto(allow_soft_placement=True)
    config.get_soft_device_placement config.set_soft_device_placement
it is tf.GraphOptions(optimizer_options=...), in tf.ConfigProto
    config.optimizer
it is tf.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=2)
    config.threading
use sess.list_devices()
    config.experimental_list_devices
tf.add_check_numerics_ops() checks a whole graph
    debugging.enable_check_numerics
it is tf.ConfigProto(log_device_placement=True)
    debugging.get_log_device_placement debugging.set_log_device_placement
use tf.data.Dataset and the other functions of tf.data.experimental
    data.experimental
use Python's sqlite3 in tf.data.Dataset.from_generator
    data.experimental.SqlDataset
use tf.python_io.TFRecordWriter
    data.experimental.TFRecordWriter
keep the number of elements in a tf.Variable
    data.experimental.CheckpointInputPipelineHook data.experimental.make_saveable_from_iterator
distribution is written out here: tf.device, tf.train.replica_device_setter, tf.train.Server
    distribute contrib.distribute experimental nn.compute_average_loss nn.scale_regularization_loss
use tf.train's own optimizers
    train.experimental contrib.optimizer_v2
tf.train.ClusterSpec takes the addresses themselves
    contrib.cluster_resolver distribute.cluster_resolver
use those of tf.distributions; what is drawn can be transformed: tf.exp(normal.sample())
    distributions.bijectors contrib.distributions
it needs TensorFlow itself, and its hardware
    estimator.tpu tpu contrib.tpu contrib.tensorrt contrib.remote_fused_graph
there is no XLA here: steps are compiled as they are
    xla contrib.compiler
write a model_fn, with tf.losses and tf.metrics
    estimator.BinaryClassHead estimator.Head estimator.LogisticRegressionHead
    estimator.MultiClassHead estimator.MultiHead estimator.MultiLabelHead
    estimator.PoissonRegressionHead estimator.RegressionHead
use the other estimators
    estimator.experimental
scikit-learn and others grow trees
    estimator.BoostedTreesClassifier estimator.BoostedTreesEstimator
    estimator.BoostedTreesRegressor contrib.boosted_trees
    contrib.decision_trees contrib.tensor_forest
call tf.image.non_max_suppression for each class
    image.combined_non_max_suppression
prepare images with numpy or Pillow, and feed them
    contrib.image
use tf.parse_example for tf.train.Example; tf.py_func for other messages
    io.decode_proto contrib.proto
use tf.py_func, with the message's own SerializeToString
    io.encode_proto
of Keras only what programs for graphs use is here; there are tf.nn and tf.train besides
    keras keras.applications keras.estimator keras.experimental keras.mixed_precision
    keras.preprocessing keras.utils keras.wrappers contrib.keras
derive from tf.keras.callbacks.Callback: on_epoch_end(epoch, logs)
    keras.callbacks
put a function of tf.nn into a tf.keras.layers.Lambda, or derive from tf.keras.layers.Layer
    keras.layers
write the loop of cells with tf.while_loop, in a tf.keras.layers.Lambda
    keras.layers.AbstractRNNCell keras.layers.Bidirectional keras.layers.ConvLSTM2D
    keras.layers.CuDNNGRU keras.layers.CuDNNLSTM keras.layers.GRU keras.layers.GRUCell
    keras.layers.LSTM keras.layers.LSTMCell keras.layers.RNN keras.layers.SimpleRNN
    keras.layers.SimpleRNNCell keras.layers.StackedRNNCells keras.layers.TimeDistributed
model.save_weights(path) writes a checkpoint, tf.saved_model.simple_save a whole model
    keras.models.load_model keras.models.save_model keras.models.model_from_config
    keras.models.model_from_json keras.models.model_from_yaml keras.models.clone_model
give a function of (y_true, y_pred) instead
    keras.constraints keras.initializers keras.losses keras.metrics keras.regularizers
    keras.metrics.cosine_similarity keras.utils.squeeze_or_expand_dimensions
give compile one of tf.train's optimizers
    keras.optimizers
tf itself has the same functions: tf.reduce_mean for K.mean, tf.matmul for K.dot
    keras.backend.*
use tf.layers' own functions
    layers.experimental
the matrix itself does it: tf.matmul, tf.linalg.solve
    linalg contrib.linalg
there is no TensorFlow Lite here: tf.Graph.as_graph_def() goes to a TensorFlow that converts it
    lite contrib.lite saved_model.experimental
use tf.RunMetadata with FULL_TRACE, and tinytf.python.client.timeline
    profiler contrib.tfprof contrib.stat_summarizer
the seeds of tf.random.stateless_uniform are values of the program
    random.experimental
the functions of tf build the same operations
    raw_ops
use tf.summary.scalar and its kin, and tf.summary.FileWriter
    summary contrib.summary contrib.tensorboard
it is for TensorFlow's own tests: Python's unittest and np.testing
    contrib.testing
use tf.strings.to_hash_bucket_strong
    train.sdca_fprint
tf.train.FtrlOptimizer is for linear models, too
    train.sdca_optimizer train.sdca_shrink_l1 contrib.linear_optimizer
experiments of tf.contrib are not here: build it of tf's own operations
    contrib contrib.specs
tf.add_n sums what the devices have
    contrib.all_reduce contrib.nccl
tf.random_normal and others draw; Markov chains are a tf.while_loop
    contrib.bayesflow
it reads from a service elsewhere: fetch the files first, and read them with tf.data
    contrib.bigtable contrib.cloud contrib.hadoop contrib.ignite contrib.kafka contrib.kinesis
read the format in Python, before feeding
    contrib.libsvm
research code of tf.contrib is not here: its authors' repositories have it
    contrib.coder contrib.constrained_optimization contrib.crf contrib.kfac
    contrib.losses.metric_learning contrib.model_pruning contrib.slim.nets contrib.timeseries
use tf.import_graph_def, and tf.train.export_meta_graph
    contrib.copy_graph
use tf.nn.rnn_cell
    contrib.cudnn_rnn
use tf.nn.rnn_cell.LSTMCell or GRUCell, or derive a cell from tf.nn.rnn_cell.RNNCell
    contrib.rnn
use the helpers and attention mechanisms that are there, or derive from them
    contrib.seq2seq
tf.data.experimental, where most of it moved
    contrib.data
it was given up before TensorFlow 1.0: tf.summary.scalar and its kin
    contrib.deprecated
use tf.estimator
    contrib.estimator contrib.learn
use tf.estimator.inputs
    contrib.learn.io
use tf.estimator.train_and_evaluate, with tf.estimator.TrainSpec and EvalSpec
    contrib.learn.Experiment contrib.learn.learn_runner contrib.learn.monitors
use Python's text functions: ids are indices of a dict, 0 for what it lacks
    contrib.learn.preprocessing
use tf.train's optimizers, or those of tf.contrib.opt that are here
    contrib.opt
use scipy.optimize.minimize, with a function that runs the loss and its gradients
    contrib.opt.ExternalOptimizerInterface contrib.opt.ScipyOptimizerInterface
use tf.feature_column: input_layer, linear_model, make_parse_example_spec
    contrib.layers.check_feature_columns contrib.layers.create_feature_spec_for_parsing
    contrib.layers.input_from_feature_columns contrib.layers.parse_feature_columns_from_examples
    contrib.layers.joint_weighted_sum_from_feature_columns
    contrib.layers.scattered_embedding_column contrib.layers.transform_features
    contrib.layers.weighted_sum_from_feature_columns
use tf.contrib.training.evaluate_once, for each path of tf.contrib.training.checkpoints_iterator
    contrib.slim.evaluation contrib.training.evaluate_repeatedly
use tf.data.experimental.bucket_by_sequence_length
    contrib.training.bucket contrib.training.bucket_by_sequence_length
use tf.data: what is drawn at random is kept by Dataset.filter
    contrib.training
use scikit-learn, or tf.matmul of two variables
    contrib.factorization
use the program ffmpeg itself, before feeding
    contrib.ffmpeg
use two losses and two optimizers, each with its own var_list
    contrib.gan
use tf.import_graph_def with input_map, tf.graph_util
    contrib.graph_editor
use tf.data
    contrib.input_pipeline
use scipy.integrate, or tf.while_loop
    contrib.integrate
use scikit-learn
    contrib.kernel_methods
use tf.Tensor, with the order of its dimensions in a comment
    contrib.labeled_tensor
use tf.contrib.seq2seq
    contrib.legacy_seq2seq
use tf.graph_util, and tf.train.import_meta_graph
    contrib.meta_graph_transform
use tf.cast, and a factor in front of the loss
    contrib.mixed_precision
use sess.make_callable(fetches, feed_list), or tf.contrib.predictor.from_saved_model
    contrib.predictor
use a Server's own protocol: tf.train.Server, tf.Session(server.target)
    contrib.rpc
use tf.saved_model.simple_save, or tf.saved_model.Builder, and tf.saved_model.load
    contrib.saved_model contrib.session_bundle saved_model.load_v2 saved_model.save
use Python's text functions, in tf.py_func or before feeding
    contrib.text
use tf.get_static_value, tf.make_tensor_proto
    contrib.util
""")

#: names that only TensorFlow 2 has -> what they are here
TENSORFLOW_2 = _by_name("""
all is a graph, which tf.Session runs; tf.gradients(ys, xs) differentiates it
    autodiff config.functions_run_eagerly config.run_functions_eagerly inside_function types
    config.experimental.enable_op_determinism debugging.enable_traceback_filtering
tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer and their kin
    optimizers
tf.set_random_seed(seed)
    random.set_seed keras.utils.set_random_seed
tf.random_normal and its kin, with seed=, or tf.random.stateless_normal
    random.Generator random.get_global_generator random.set_global_generator
tf.summary.FileWriter(folder), add_summary(sess.run(tf.summary.merge_all()), step)
    summary.create_file_writer summary.record_if summary.should_record_summaries summary.write
tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE) and tf.RunMetadata, both given to sess.run
    summary.trace_export summary.trace_off summary.trace_on
tf.config.list_physical_devices() for this process, sess.list_devices() for a session
    config.LogicalDevice config.get_visible_devices config.list_logical_devices
tinytf.devices.simulate_gpus(2, memory='2GiB')
    config.LogicalDeviceConfiguration config.set_logical_device_configuration
tf.glorot_uniform_initializer() and its kin, all in small letters
    initializers.Constant initializers.GlorotNormal initializers.GlorotUniform initializers.HeNormal
    initializers.HeUniform initializers.Ones initializers.Orthogonal initializers.RandomNormal
    initializers.RandomUniform initializers.TruncatedNormal initializers.Zeros
tf.train.ClusterSpec({"ps": [...], "worker": [...]}), and tf.train.Server in each process
    train.ClusterDeviceFilters
tf.get_default_graph().get_name_scope()
    get_current_name_scope
""")

#: names of numpy, PyTorch and others -> what they are here
ELSEWHERE = _by_name("""
sess.run(fetches, feed_dict), of a session: with tf.Session() as sess
    run
tf.constant(value)
    array asarray tensor from_numpy
tf.matmul(a, b) for matrices, tf.reduce_sum(a * b) for vectors
    dot mm
tf.device("/gpu:0"), for what is built inside it; sess.list_devices() says what there is
    cuda
tf.decode_csv(lines, record_defaults), or tf.data.TextLineDataset(filenames)
    read_csv
tf.FIFOQueue(capacity, dtypes, shapes)
    Queue
tf.stop_gradient(x), for what no gradient is to pass
    no_grad
tf.random_normal(shape), tf.random_uniform(shape)
    rand randn
tf.concat(tensors, axis)
    cat concatenate
tf.reshape(t, shape)
    view
tf.range(start, limit, delta)
    arange
""")

#: names that TensorFlow itself gave up before 1.8 -> what they are called since
RENAMED = dict(
    pair.split(":")
    for pair in """
    audio_summary:summary.audio  batch_matmul:matmul  complex_abs:abs
    contrib.data.Dataset:data.Dataset  contrib.data.Iterator:data.Iterator
    histogram_summary:summary.histogram  image_summary:summary.image  inv:reciprocal
    listdiff:setdiff1d  merge_all_summaries:summary.merge_all  mul:multiply  neg:negative
    nn.bidirectional_rnn:nn.static_bidirectional_rnn  nn.rnn:nn.static_rnn
    nn.seq2seq:contrib.seq2seq
    pack:stack  scalar_summary:summary.scalar  select:where  sub:subtract
    train.SummaryWriter:summary.FileWriter  unpack:unstack
    """.split()
)
