"""Checkpoints that are damaged in a way that a seed chooses."""

import random

from tinytf.resources.checkpoint_files.table import decode_table, encode_table
from tinytf.resources.records import masked_crc


def cut(rng, data):
    """The beginning of a file."""
    return data[: rng.randrange(len(data))]


def flipped(rng, data):
    """A few other bits."""
    result = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        result[rng.randrange(len(result))] ^= 1 << rng.randrange(8)
    return bytes(result)


def overwritten(rng, data):
    """A stretch of something else."""
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.randint(1, 64))
    return data[:start] + rng.randbytes(end - start) + data[end:]


def foreign(rng, data):
    """Nothing of it."""
    return rng.randbytes(rng.randrange(2 * len(data)))


def lying(rng, data):
    """A table with good checksums, in which an entry is not what it should be."""
    items = list(decode_table(data))
    number = rng.randrange(len(items))
    key, value = items[number]
    value = flipped(rng, value) if value and rng.random() < 0.7 else cut(rng, value + b"\x08")
    return encode_table([*items[:number], (key, value), *items[number + 1 :]])


def confused(rng, data):
    """A block with a good checksum whose lengths are wrong."""
    size = len(data) - 48
    block = bytearray(data[:size])
    for _ in range(3):
        block[rng.randrange(size // 2)] = rng.randrange(256)
    for end in range(6, size - 4):  # wherever a block may end
        if data[end : end + 4] == masked_crc(data[:end]).to_bytes(4, "little"):
            block[end : end + 4] = masked_crc(bytes(block[:end])).to_bytes(4, "little")
    return bytes(block) + data[size:]


WAYS = {way.__name__: way for way in (cut, flipped, overwritten, foreign, lying, confused)}


def damaged(seed, files):
    """Of `files`, name -> content, one is damaged: (what was done, all of them)."""
    rng = random.Random(seed)
    name = rng.choice(sorted(files))
    tables = [way for way in WAYS if way not in ("lying", "confused") or "data" not in name]
    way = rng.choice(tables)
    return f"{name} {way}", {**files, name: WAYS[way](rng, files[name])}
