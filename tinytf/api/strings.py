"""`tf.strings`: operations on text."""

from tinytf.api.names import explained
from tinytf.ops.debugging import string_format as format
from tinytf.ops.strings.regular_expressions import regex_full_match, regex_replace
from tinytf.ops.strings.hashing import string_to_hash_bucket as to_hash_bucket
from tinytf.ops.strings.hashing import string_to_hash_bucket_fast as to_hash_bucket_fast
from tinytf.ops.strings.hashing import string_to_hash_bucket_strong as to_hash_bucket_strong
from tinytf.ops.strings.numbers import as_string
from tinytf.ops.strings.numbers import string_to_number as to_number
from tinytf.ops.strings.splitting import split
from tinytf.ops.strings.text import reduce_join, substr, unsorted_segment_join
from tinytf.ops.strings.text import string_join as join
from tinytf.ops.strings.text import string_length as length
from tinytf.ops.strings.text import string_lower as lower
from tinytf.ops.strings.text import string_strip as strip
from tinytf.ops.strings.text import string_upper as upper

__all__ = [
    "as_string", "format", "join", "length", "lower", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast",
    "to_hash_bucket_strong", "to_number", "unsorted_segment_join", "upper",
]  # fmt: skip

__getattr__ = explained(__name__, "strings")
