"""tf.contrib.estimator, feature_column and predictor."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def estimator() -> Any:
    """Heads as of 1.15: the private ones of today's package, with contrib's reduction."""
    from tensorflow_estimator.python.estimator.canned import head

    mean = {"loss_reduction": "weighted_sum_over_batch_size"}
    binary = head._binary_logistic_head_with_sigmoid_cross_entropy_loss
    several = head._multi_class_head_with_softmax_cross_entropy_loss
    return SimpleNamespace(
        binary_classification_head=lambda **named: binary(**mean, **named),
        multi_class_head=lambda n_classes, **named: several(n_classes, **mean, **named),
        regression_head=lambda **named: head._regression_head(**mean, **named),
    )


def feature_column(tf: Any) -> Any:
    def sequence_input_layer(features: Any, feature_columns: Any) -> Any:
        return tf.keras.experimental.SequenceFeatures(feature_columns)(features)

    return SimpleNamespace(sequence_input_layer=sequence_input_layer)


class Predictor:
    """A saved model as a function of arrays."""

    def __init__(self, tf: Any, path: str):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.session = tf.Session()
            meta = tf.saved_model.load(self.session, ["serve"], path)
        signature = meta.signature_def["serving_default"]
        tensor_of = self.graph.get_tensor_by_name
        self.feed_tensors = {key: tensor_of(each.name) for key, each in signature.inputs.items()}
        self.fetch_tensors = {key: tensor_of(each.name) for key, each in signature.outputs.items()}

    def __call__(self, inputs: dict[str, Any]) -> dict[str, Any]:
        feeds = {self.feed_tensors[key]: value for key, value in inputs.items()}
        return self.session.run(self.fetch_tensors, feeds)
