"""`tf.strings`: operations on text."""

from tinytf.api.names import explained as _explained
from tinytf.ops.strings.format import string_format as format
from tinytf.ops.strings.regular_expressions import regex_full_match, regex_replace
from tinytf.ops.strings.hashing import string_to_hash_bucket as to_hash_bucket
from tinytf.ops.strings.hashing import string_to_hash_bucket_fast as to_hash_bucket_fast
from tinytf.ops.strings.hashing import string_to_hash_bucket_strong as to_hash_bucket_strong
from tinytf.ops.strings.ngrams import bytes_split, ngrams
from tinytf.ops.strings.numbers import as_string
from tinytf.ops.strings.numbers import string_to_number as to_number
from tinytf.ops.strings.splitting import split
from tinytf.ops.strings.text import reduce_join, substr, unsorted_segment_join
from tinytf.ops.strings.text import string_join as join
from tinytf.ops.strings.text import string_length as length
from tinytf.ops.strings.text import string_lower as lower
from tinytf.ops.strings.text import string_strip as strip
from tinytf.ops.strings.text import string_upper as upper
from tinytf.ops.strings.unicode import unicode_decode, unicode_decode_with_offsets, unicode_encode
from tinytf.ops.strings.unicode import unicode_script, unicode_split, unicode_split_with_offsets
from tinytf.ops.strings.unicode import unicode_transcode

__all__ = ["as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join"]
__all__ += ["regex_full_match", "regex_replace", "split", "strip", "substr", "to_hash_bucket"]
__all__ += ["to_hash_bucket_fast", "to_hash_bucket_strong", "to_number", "unicode_decode"]
__all__ += ["unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split"]
__all__ += ["unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"]

__getattr__ = _explained(__name__, "strings")
