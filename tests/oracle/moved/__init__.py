"""What became of names of tf.contrib that the programs use, for a TensorFlow that has lost it.

The recorder gives programs a `tf.contrib` made of this: each name is TensorFlow 1.15's own code
under its other name (tf_slim is what layers, slim and framework became), or computes the same, by
what it documents.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.oracle.moved import seq2seq
from tests.oracle.moved.data import data, lookup, staging
from tests.oracle.moved.distributions import distributions
from tests.oracle.moved.estimators import Predictor, estimator, feature_column
from tests.oracle.moved.layers import framework, layers, slim
from tests.oracle.moved.learn import learn
from tests.oracle.moved.losses import losses, metrics
from tests.oracle.moved.opt import opt
from tests.oracle.moved.rnn import rnn
from tests.oracle.moved.training import training


def contrib(tf: Any) -> Any:
    """A tf.contrib of what 2.15.1 still has under other names."""
    of_slim = slim(tf)
    return SimpleNamespace(
        data=data(tf),
        distributions=distributions(tf),
        estimator=estimator(),
        feature_column=feature_column(tf),
        framework=SimpleNamespace(**framework(tf, of_slim)),
        layers=SimpleNamespace(**layers(tf, of_slim)),
        learn=SimpleNamespace(**learn(tf)),
        lookup=lookup(),
        losses=losses(tf),
        metrics=metrics(tf),
        opt=SimpleNamespace(**opt()),
        predictor=SimpleNamespace(from_saved_model=lambda path: Predictor(tf, path)),
        rnn=SimpleNamespace(**rnn()),
        seq2seq=seq2seq,
        slim=SimpleNamespace(**layers(tf, of_slim)),
        staging=staging(),
        training=SimpleNamespace(**training(tf)),
    )
