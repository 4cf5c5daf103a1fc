"""V2 and V1 files: what is in them, byte for byte TensorFlow's, and damage that is told."""

import numpy as np
import pytest

from tests.conformance.cases.checkpoints import FILES
from tests.oracle.environment import ROOT
from tests.resources.checkpoint_files.damage import damaged
from tinytf.framework import dtypes, errors
from tinytf.resources.checkpoint_files import bundle, table, v1
from tinytf.resources.checkpoint_files.slices import parse
from tinytf.resources.records import masked_crc

PARTS = np.arange(12, dtype=np.float32).reshape(4, 3)


def tensors():
    """What the files of the conformance cases hold, in TensorFlow's order."""
    text = np.array([b"a", b"", b"bcd"], object)
    return [
        (b"parts/w", parse("4 3 0,2:0,3"), PARTS[:2], dtypes.float32),
        (b"parts/w", parse("4 3 2,2:0,3"), PARTS[2:], dtypes.float32),
        (b"r", None, np.int32(3), dtypes.int32),
        (b"text", None, text, dtypes.string),
        (b"v", None, np.array([1.5, 2.5], np.float32), dtypes.float32),
    ]


def contents(reader):
    return {name: reader.read(name).tolist() for name in sorted(reader.tensors)}


EXPECTED = {"parts/w": PARTS.tolist(), "r": 3, "text": [b"a", b"", b"bcd"], "v": [1.5, 2.5]}


@pytest.mark.parametrize("name", ["saved", "saved_v1"])
def test_tensorflows_files_are_read(name):
    assert contents(v1.open_checkpoint(str(ROOT / FILES / name))) == EXPECTED


def test_files_are_tensorflows_byte_for_byte(tmp_path):
    bundle.write_bundle(str(tmp_path / "saved"), tensors())
    v1.write_v1(str(tmp_path / "saved_v1"), tensors())
    for name in ("saved.index", "saved.data-00000-of-00001", "saved_v1"):
        assert (tmp_path / name).read_bytes() == (ROOT / FILES / name).read_bytes(), name
    assert len(list(tmp_path.iterdir())) == 3  # and nothing else


def kinds():
    return [d for d in dtypes._BY_NAME.values() if d.size and not d.is_ref]


@pytest.mark.parametrize("write", [bundle.write_bundle, v1.write_v1])
def test_every_type_and_shape(tmp_path, write):
    saved = {}
    for dtype in kinds():
        if write is v1.write_v1 and dtype.name in v1._NEWER:
            with pytest.raises(errors.UnimplementedError, match="not yet supported in the V1"):
                write(str(tmp_path / "all"), [(b"v", None, np.zeros(2), dtype)])
            continue
        for shape in [(), (3,), (2, 0), (1, 2, 2)]:
            bits = np.arange(np.prod(shape, dtype=int) + 1)[1:].reshape(shape)
            saved[f"{dtype.name}{shape}"] = (bits % 2).astype(dtype.as_numpy_dtype), dtype
    items = [(name.encode(), None, *pair) for name, pair in saved.items()]
    write(str(tmp_path / "all"), items)
    reader = v1.open_checkpoint(str(tmp_path / "all"))
    for name, (value, dtype) in saved.items():
        back = reader.read(name)
        assert (back.dtype, back.shape) == (value.dtype, value.shape)
        assert back.tobytes() == value.tobytes()
        assert reader.tensors[name].dtype is dtype


def test_a_table_of_many_blocks(tmp_path):
    items = [(b"%06d" % number, b"x" * (number % 700)) for number in range(0, 9000, 3)]
    encoded = table.encode_table(items)
    assert len(encoded) > 3 * (1 << 18)
    assert list(table.decode_table(encoded)) == items


def test_large_slices_and_names_of_all_bytes():
    first, last = "1000000 3 0,500000:-", "1000000 3 500000,500000:-"
    keys = [parse(text).key(b"a\0b\xffc") for text in (first, last)]
    assert keys == sorted(keys)
    assert keys[0] == b"\0a\0\xffb\xff\0c\0\1\1\2\x80\xe7\xa1\x20\x80\x7f"


@pytest.mark.parametrize("text", ["4 3 0,5:-", "4 3 0,2", "4 x 0,2:-", "3", "4 -1,2", "4 a"])
def test_slices_that_are_none(text):
    with pytest.raises(errors.InvalidArgumentError, match="Expected sizes and a slice"):
        parse(text)


def test_parts_that_do_not_make_a_whole(tmp_path):
    bundle.write_bundle(str(tmp_path / "half"), tensors()[:1])
    reader = v1.open_checkpoint(str(tmp_path / "half"))
    assert reader.read("parts/w", parse("4 3 1,1:-")).tolist() == [[3.0, 4.0, 5.0]]
    with pytest.raises(errors.NotFoundError, match="only 6 of the 12 elements"):
        reader.read("parts/w")


def test_merging_parts(tmp_path):
    first, second, whole = (str(tmp_path / name) for name in ("a_temp/1", "a_temp/2", "a"))
    bundle.write_bundle(first, tensors()[:1])
    bundle.write_bundle(second, tensors()[1:])
    bundle.merge_bundles([first, second], whole)
    assert contents(v1.open_checkpoint(whole)) == EXPECTED
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.data-00000-of-00002",
        "a.data-00001-of-00002",
        "a.index",
    ]
    with pytest.raises(errors.InvalidArgumentError, match="Duplicate tensor keyed by"):
        bundle.merge_bundles([whole, whole], str(tmp_path / "b"))
    assert contents(v1.open_checkpoint(whole)) == EXPECTED


# Damage -------------------------------------------------------------------------------------------


CLEAR = (
    errors.DataLossError,
    errors.NotFoundError,
    errors.UnimplementedError,
    errors.ResourceExhaustedError,
)


@pytest.mark.parametrize("name", ["saved", "saved_v1"])
def test_damaged_files_give_a_clear_error_each(tmp_path, name):
    """A clear error that names the checkpoint, or, where padding was hit, what was saved."""
    files = {path.name: path.read_bytes() for path in (ROOT / FILES).glob(name + "*")}
    files = {n: c for n, c in files.items() if n == name or n.startswith(f"{name}.")}
    told = []
    for seed in range(200):
        what, content = damaged(seed, files)
        for file, data in content.items():
            (tmp_path / file).write_bytes(data)
        try:
            found = contents(v1.open_checkpoint(str(tmp_path / name)))
            if not what.endswith(("lying", "confused")):  # those may say something else
                assert found == EXPECTED, what
        except CLEAR as error:
            told.append(error.message)
    assert len(told) > 150
    assert [message for message in told if str(tmp_path / name) not in message] == []


def test_what_is_missing_is_named(tmp_path):
    prefix = str(tmp_path / "saved")
    with pytest.raises(errors.NotFoundError, match="Failed to find any matching files for"):
        v1.open_checkpoint(prefix)
    bundle.write_bundle(prefix, tensors())
    (tmp_path / "saved.data-00000-of-00001").unlink()
    with pytest.raises(errors.NotFoundError, match="data-00000-of-00001; No such file"):
        v1.open_checkpoint(prefix).read("v")


def test_compressed_blocks_are_called_that(tmp_path):
    content = bytearray((ROOT / FILES / "saved.index").read_bytes())
    end = content.index(b"\0\0\0\0\1\0\0\0\0") + 8  # after the restarts of the first block
    content[end] = 1
    content[end + 1 : end + 5] = masked_crc(bytes(content[: end + 1])).to_bytes(4, "little")
    (tmp_path / "saved.index").write_bytes(content)
    with pytest.raises(errors.UnimplementedError, match=r"saved: .*compressed with Snappy"):
        v1.open_checkpoint(str(tmp_path / "saved"))
