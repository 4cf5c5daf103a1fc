"""The standard names of a graph's collections."""

from __future__ import annotations


class GraphKeys:
    """Names for `Graph.add_to_collection` and `get_collection` (TensorFlow: `tf.GraphKeys`).

    Example:
      >>> v = tf.Variable(0.0)
      >>> tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) == [v]
      True
    """

    #: Variables shared by the tasks of a cluster, and saved: the default for every variable.
    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"  # its older name
    #: The ones optimizers change.
    TRAINABLE_VARIABLES = "trainable_variables"
    #: Variables of one process, not saved.
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    SUMMARIES = "summaries"
    _SUMMARY_COLLECTION = "_SUMMARY_V2"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    SAVERS = "savers"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    UPDATE_OPS = "update_ops"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
