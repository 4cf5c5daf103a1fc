"""Write tinytf/ops/strings/scripts.txt: the script of every code point, as TensorFlow has it.

    python3 scripts/oracle/dump_scripts.py

Runs of code points with one script are a line each: the first of them, in hexadecimal, and the
script's number in ICU, which `tf.strings.unicode_script` gives.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_under_tensorflow, write_atomically

FILE = Path(__file__).resolve().parents[2] / "tinytf/ops/strings/scripts.txt"


def main() -> None:
    """Ask TensorFlow for all of them, and write the file."""
    import numpy as np
    import tensorflow.compat.v1 as tf

    points = np.arange(0x110000, dtype=np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        scripts = session.run(tf.strings.unicode_script(points))
    firsts = np.flatnonzero(np.diff(scripts, prepend=-1))
    lines = [f"{first:x} {scripts[first]}\n" for first in firsts]
    write_atomically(FILE, "".join(lines).encode())


if __name__ == "__main__":
    continue_under_tensorflow()
    main()
