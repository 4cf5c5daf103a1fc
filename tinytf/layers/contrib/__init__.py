"""`tf.contrib.layers` and what of `tf.contrib.framework` goes with it.

arg_scope.py      arguments given once for many calls
variables.py      variables of models, found by their names
getters.py        the names and collections that these layers give to variables of `tf.layers`
regularizers.py   losses of weights
initializers.py   Xavier's, and variance scaling as it was here
layers.py         fully connected layers, dropout, flattening, embedding; layers of layers
convolutions.py   convolutions and pooling
norms.py          batch, layer and instance normalisation
optimizers.py     `optimize_loss`, `create_train_op`
summaries.py      summaries of tensors and collections

TensorFlow 2.15 has lost all of it; names of operations and variables are those of TensorFlow 1.15.
"""
