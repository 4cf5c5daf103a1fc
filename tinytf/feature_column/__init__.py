"""`tf.feature_column`: what inputs are, and what becomes of them.

base.py         what columns are; features and the tensors that are made of them
numeric.py      numbers as they are, and in buckets
categorical.py  features of finitely many values; weighted
crossed.py      combinations of features
embedding.py    categorical columns made dense
models.py       the first layer of a network; linear models; how examples are parsed
resource_models.py  the same as estimators build it
sequence.py     features that come in sequences
"""

from tinytf.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
    weighted_categorical_column,
)
from tinytf.feature_column.crossed import crossed_column
from tinytf.feature_column.embedding import (
    embedding_column,
    indicator_column,
    shared_embedding_columns,
)
from tinytf.feature_column.models import input_layer, linear_model, make_parse_example_spec
from tinytf.feature_column.numeric import bucketized_column, numeric_column
from tinytf.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)

__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "input_layer",
    "linear_model",
    "make_parse_example_spec",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
    "shared_embedding_columns",
    "weighted_categorical_column",
]
