"""`tf.saved_model.tag_constants`: usual tags, by which a graph of a SavedModel is found."""

SERVING = "serve"
TRAINING = "train"
EVAL = "eval"
GPU = "gpu"
TPU = "tpu"
