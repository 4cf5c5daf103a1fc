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
from tinytf.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tinytf.saved_model.loader import load, maybe_saved_model_directory
from tinytf.saved_model.main_op import main_op_with_restore
from tinytf.saved_model.signature_constants import (
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    PREDICT_INPUTS,
    PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
)
from tinytf.saved_model.signature_def_utils import (
    build_signature_def,
    classification_signature_def,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)
from tinytf.saved_model.tag_constants import GPU, SERVING, TPU, TRAINING
from tinytf.saved_model.utils import build_tensor_info, get_tensor_from_tensor_info

contains_saved_model = maybe_saved_model_directory

__all__ = ["ASSETS_DIRECTORY", "ASSETS_KEY", "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME"]
__all__ += ["CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES", "GPU", "LEGACY_INIT_OP_KEY"]
__all__ += ["DEFAULT_SERVING_SIGNATURE_DEF_KEY", "MAIN_OP_KEY", "PREDICT_INPUTS", "Builder"]
__all__ += ["PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME"]
__all__ += ["REGRESS_OUTPUTS", "SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT", "SERVING"]
__all__ += ["SAVED_MODEL_SCHEMA_VERSION", "TPU", "TRAINING", "VARIABLES_DIRECTORY", "builder"]
__all__ += ["VARIABLES_FILENAME", "build_signature_def", "build_tensor_info", "constants", "load"]
__all__ += ["classification_signature_def", "contains_saved_model", "is_valid_signature", "loader"]
__all__ += ["get_tensor_from_tensor_info", "main_op", "main_op_with_restore", "simple_save"]
__all__ += ["maybe_saved_model_directory", "predict_signature_def", "regression_signature_def"]
__all__ += ["signature_constants", "signature_def_utils", "tag_constants", "utils"]
