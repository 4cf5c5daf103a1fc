"""`tf.dtypes`: the types of elements, and going from one to another."""

from tinytf.api.names import explained as _explained
from tinytf.framework.dtypes import QUANTIZED_DTYPES, DType, as_dtype, bfloat16, complex64
from tinytf.framework.dtypes import complex128, double, float16, float32, float64, half, int8, int16
from tinytf.framework.dtypes import int32, int64, qint8, qint16, qint32, quint8, quint16, resource
from tinytf.framework.dtypes import string, uint8, uint16, uint32, uint64, variant
from tinytf.framework.dtypes import bool_ as bool
from tinytf.ops.math.cast import cast, saturate_cast
from tinytf.ops.math.complex_numbers import make_complex as complex
from tinytf.ops.strings.numbers import as_string

__all__ = ["QUANTIZED_DTYPES", "DType", "as_dtype", "as_string", "bfloat16", "bool", "cast"]
__all__ += ["complex", "complex64", "complex128", "double", "float16", "float32", "float64", "half"]
__all__ += ["int8", "int16", "int32", "int64", "qint8", "qint16", "qint32", "quint8", "quint16"]
__all__ += ["resource", "saturate_cast", "string", "uint8", "uint16", "uint32", "uint64", "variant"]

__getattr__ = _explained(__name__, "dtypes")
