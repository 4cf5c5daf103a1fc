"""`tf.saved_model`: models in folders, to be served or loaded again.

constants.py, tag_constants.py, signature_constants.py   names, as they are in files
utils.py                 tensors as `TensorInfo`
signature_def_utils.py   signatures: named inputs and outputs
assets.py                files that belong to a model
main_op.py               what is run when a model is loaded
builder.py               a graph and its variables into a folder
loader.py                and back
predictor.py             a loaded model as a function (`tf.contrib.predictor`)
"""

from tinytf.saved_model import (
    builder,
    constants,
    loader,
    main_op,
    signature_constants,
    signature_def_utils,
    tag_constants,
    utils,
)
from tinytf.saved_model.builder import SavedModelBuilder as Builder
from tinytf.saved_model.builder import simple_save
from tinytf.saved_model.constants import *  # noqa: F403
from tinytf.saved_model.loader import load, maybe_saved_model_directory
from tinytf.saved_model.main_op import main_op_with_restore
from tinytf.saved_model.signature_constants import *  # noqa: F403
from tinytf.saved_model.signature_def_utils import (
    build_signature_def,
    classification_signature_def,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)
from tinytf.saved_model.tag_constants import *  # noqa: F403
from tinytf.saved_model.utils import build_tensor_info, get_tensor_from_tensor_info

contains_saved_model = maybe_saved_model_directory

__all__ = ["Builder", "build_signature_def", "build_tensor_info", "builder", "constants", "load"]
__all__ += ["classification_signature_def", "contains_saved_model", "is_valid_signature", "loader"]
__all__ += ["get_tensor_from_tensor_info", "main_op", "main_op_with_restore", "simple_save"]
__all__ += ["maybe_saved_model_directory", "predict_signature_def", "regression_signature_def"]
__all__ += ["signature_constants", "signature_def_utils", "tag_constants", "utils"]
