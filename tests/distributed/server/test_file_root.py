"""Graphs on a server touch files below one folder; sessions of this process touch any."""

import functools
import os
import re

import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.resources.file_root import FileRoot

#: Every op type that names files, and how to run it on one.
WITH_FILES = {}


def on_file(*op_types):
    def note(build):
        WITH_FILES.update(dict.fromkeys(op_types, build))
        return build

    return note


@on_file("ReadFile")
def read_file(path):
    return tf.read_file(path)


@on_file("FixedUnigramCandidateSampler")
def vocabulary(path):
    return tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 1, False, 2, vocab_file=path)[0]


@on_file("WriteFile")
def write_file(path):
    return tf.write_file(path, "new")


@on_file("MatchingFiles")
def matching_files(path):
    return tf.matching_files(path)


@on_file("PrintV2")
def print_to(path):
    return tf.print("new", output_stream=f"file://{path}")


def first(dataset):
    return tf.data.make_one_shot_iterator(dataset).get_next()


@on_file("TextLineDataset")
def lines(path):
    return first(tf.data.TextLineDataset(path))


@on_file("TFRecordDataset")
def records(path):
    return first(tf.data.TFRecordDataset(path))


@on_file("FixedLengthRecordDatasetV2", "FixedLengthRecordDataset")
def fixed(path):
    return first(tf.data.FixedLengthRecordDataset(path, 2))


@on_file("CacheDataset")
def cache(path):
    return first(tf.data.Dataset.range(3).cache(path))


def file_table(path, op_type):
    """A table filled from a file, by either op type."""
    graph = tf.get_default_graph()
    types = {"key_dtype": tf.string.as_datatype_enum, "value_dtype": tf.int64.as_datatype_enum}
    kind = "HashTableV2" if op_type.endswith("V2") else "HashTable"
    attrs = {name: tf.AttrValue(type=number) for name, number in types.items()}
    table = graph.create_op(kind, [], attrs=attrs).outputs[0]
    columns = {"key_index": tf.AttrValue(i=-2), "value_index": tf.AttrValue(i=-1)}
    return graph.create_op(op_type, [table, tf.constant(path)], attrs=columns)


def csv_records(path, op_type):
    """A dataset of CSV records, by any of the op types."""
    graph = tf.get_default_graph()
    numbers = [tf.constant(n, tf.int64) for n in (16, [])]
    yes, texts = tf.constant(True), [tf.constant(text) for text in ("", ",", "")]
    inputs = [
        tf.constant(path),
        texts[0],
        numbers[0],
        tf.constant(False),
        texts[1],
        yes,
        texts[2],
        numbers[1],
        tf.constant([], tf.string),
    ]
    if op_type == "CSVDatasetV2":
        inputs.append(numbers[1])
    kinds = tf.AttrValue.ListValue(type=[tf.string.as_datatype_enum])
    shapes = tf.AttrValue.ListValue(shape=[tf.TensorShape([]).as_proto()])
    attrs = {"output_types": tf.AttrValue(list=kinds), "output_shapes": tf.AttrValue(list=shapes)}
    made = graph.create_op(op_type, inputs, attrs=attrs).outputs[0]
    return first(tf.data.experimental.from_variant(made, (tf.TensorSpec([], tf.string),)))


for _op_type in ("CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset"):
    on_file(_op_type)(functools.partial(csv_records, op_type=_op_type))
for _op_type in ("InitializeTableFromTextFile", "InitializeTableFromTextFileV2"):
    on_file(_op_type)(functools.partial(file_table, op_type=_op_type))


def saving(path, op_type):
    """Save a tensor under a name, by any of the op types."""
    inputs = [tf.constant(path), tf.constant(["a"])]
    if op_type != "Save":
        inputs.append(tf.constant([""]))
    kinds = tf.AttrValue(list=tf.AttrValue.ListValue(type=[tf.float32.as_datatype_enum]))
    attrs = {"dtypes" if op_type == "SaveV2" else "T": kinds}
    return tf.get_default_graph().create_op(op_type, [*inputs, tf.constant(1.0)], attrs=attrs)


def restoring(path, op_type):
    """Restore a tensor, by any of the op types."""
    graph, name = tf.get_default_graph(), tf.constant("a")
    if op_type == "RestoreV2":
        kinds = tf.AttrValue.ListValue(type=[tf.float32.as_datatype_enum])
        inputs = [tf.constant(path), tf.constant(["a"]), tf.constant([""])]
        return graph.create_op(op_type, inputs, attrs={"dtypes": tf.AttrValue(list=kinds)})
    inputs = [tf.constant(path), name] + [tf.constant("")] * (op_type == "RestoreSlice")
    attrs = {"dt": tf.AttrValue(type=tf.float32.as_datatype_enum)}
    return graph.create_op(op_type, inputs, attrs=attrs).outputs[0]


@on_file("MergeV2Checkpoints")
def merging(path):
    parts = tf.constant([path]), tf.constant("merged")
    return tf.get_default_graph().create_op("MergeV2Checkpoints", parts)


for _op_type in ("SaveV2", "Save", "SaveSlices"):
    on_file(_op_type)(functools.partial(saving, op_type=_op_type))
for _op_type in ("RestoreV2", "Restore", "RestoreSlice"):
    on_file(_op_type)(functools.partial(restoring, op_type=_op_type))


READERS = {
    "whole": tf.WholeFileReader,
    "lines": tf.TextLineReader,
    "records": tf.TFRecordReader,
    "fixed": lambda: tf.FixedLengthRecordReader(2),
}

#: Names of arguments and attributes that are about files.
_FILE = re.compile(r"file|path|pattern|prefix|director|folder|output_stream")
#: Op types whose arguments are named like that and are not about files.
_NO_FILES = {
    "StaticRegexFullMatch",
    "StaticRegexReplace",
    "RegexFullMatch",
    "RegexReplace",  # patterns
    "ShardedFilename",
    "ShardedFilespec",  # only make names
    "TensorSliceDataset",  # is_files is a hint
    "CTCBeamSearchDecoder",  # paths through time
}


def test_no_op_type_with_files_is_left_out():
    named = {
        name
        for name, schema in ((name, registry.op_defs.lookup(name)) for name in registry.op_defs)
        if any(_FILE.search(arg.name) for arg in schema.inputs)
        or any(_FILE.search(attr) for attr in schema.attrs)
    }
    assert named - _NO_FILES - set(WITH_FILES) == set(), (
        "These op types name files: their kernels have to ask resources.files for paths, and this "
        "file has to show it."
    )


@pytest.fixture
def place(tmp_path):
    """A folder `inside` for the server, a file outside, and links from the one to the other."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("ab\ncd")
    (outside / "new.index").write_text("secret")
    (inside / "open").write_text("ab\ncd")
    (inside / "folder").mkdir()
    (inside / "folder" / "deep").write_text("ab\ncd")
    (inside / "link").symlink_to(outside / "secret")
    (inside / "links").symlink_to(outside)
    (inside / "link.index").symlink_to(outside / "new.index")
    (inside / "good_link").symlink_to(inside / "open")
    return tmp_path


@pytest.fixture
def server(place):
    with tf.train.Server({"a": ["localhost:0"]}, file_root=place / "inside") as server:
        yield server


def run(server, build, *arguments):
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        return session.run(build(*arguments))


def ways_out(place):
    return [
        str(place / "outside" / "secret"),
        "../outside/secret",
        "folder/../../outside/secret",
        "link",
        "links/secret",
        "file://" + str(place / "outside" / "secret"),
        "/etc/passwd",
        "/proc/self/environ",
        str(place / "inside-too"),
        "..",
        "/",
    ]


def state(place):
    return {p: p.read_bytes() for p in place.rglob("*") if p.is_file()}


@pytest.mark.parametrize("op_type", WITH_FILES)
def test_nothing_leads_out(place, server, op_type):
    before = state(place)
    for path in ways_out(place):
        if op_type == "PrintV2" and path.startswith("file://"):
            continue  # it adds that itself
        if op_type == "MatchingFiles" and path.startswith("link"):
            assert run(server, WITH_FILES[op_type], path).tolist() == []
            continue
        with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the folder") as info:
            run(server, WITH_FILES[op_type], path)
        assert "file_root" in info.value.message
        assert str(place / "inside") in info.value.message
    assert state(place) == before
    assert run(server, tf.read_file, "open") == b"ab\ncd"


@pytest.mark.parametrize("kind", READERS)
def test_no_reader_leads_out(place, server, kind):
    for path in ways_out(place):
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            queue = tf.FIFOQueue(1, tf.string)
            value = READERS[kind]().read(queue)[1]
            session.run(queue.enqueue(path))
            with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the folder"):
                session.run(value)
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        queue = tf.FIFOQueue(1, tf.string)
        value = READERS["whole"]().read(queue)[1]
        session.run(queue.enqueue("open"))
        assert session.run(value) == b"ab\ncd"


def test_what_is_inside_can_be_used(place, server):
    inside = place / "inside"
    for name in ("open", str(inside / "open"), "folder/../open", "./open", "good_link"):
        assert run(server, tf.read_file, name) == b"ab\ncd"
    assert run(server, lines, "folder/deep") == b"ab"
    assert run(server, cache, "kept") == 0  # an iterator of the session's own, of the same name
    run(server, write_file, "made/on/the/way")
    assert (inside / "made" / "on" / "the" / "way").read_text() == "new"
    run(server, print_to, "log")
    assert (inside / "log").read_text() == "new\n"


def test_patterns(place, server):
    inside = place / "inside"
    found = run(server, matching_files, "*").tolist()
    assert found == [b"./folder", b"./good_link", b"./open"]
    assert run(server, matching_files, "*/*").tolist() == [b"./folder/deep"]
    assert run(server, matching_files, f"{inside}/o*").tolist() == [os.fsencode(inside / "open")]
    for pattern in ("../*", "folder/../../*", "/*", "/e*/passwd", f"{place}/*", f"{place}/o*/*"):
        with pytest.raises(tf.errors.PermissionDeniedError):
            run(server, matching_files, pattern)


def test_a_link_beside_a_cache_does_not_lead_out_either(place, server):
    with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the folder"):
        run(server, cache, str(place / "inside" / "link"))


def test_functions_and_isolated_sessions_are_kept_inside_too(place, server):
    def build():
        dataset = tf.data.Dataset.from_tensors(str(place / "outside" / "secret"))
        return first(
            dataset.flat_map(tf.data.TextLineDataset).concatenate(dataset.map(tf.read_file))
        )

    with pytest.raises(tf.errors.PermissionDeniedError):
        run(server, build)
    config = tf.ConfigProto(isolate_session_state=True)
    with tf.Graph().as_default(), tf.Session(server.target, config=config) as session:
        assert session.run(tf.read_file("open")) == b"ab\ncd"
        with pytest.raises(tf.errors.PermissionDeniedError):
            session.run(tf.read_file("link"))


def test_parts_of_steps_of_other_masters_are_kept_inside_too(place):
    with (
        tf.train.Server({"ps": ["localhost:0"]}, file_root=place / "inside") as ps,
        tf.train.Server(
            {"ps": [ps.target.removeprefix("grpc://")], "worker": ["localhost:0"]},
            "worker",
            file_root="/",
        ) as worker,
        tf.Graph().as_default(),
    ):
        with tf.device("/job:ps"):
            there = tf.read_file("open"), tf.read_file("link")
        with tf.device("/job:worker"):
            here = tf.read_file(str(place / "outside" / "secret"))
        with tf.Session(worker.target) as session:
            assert session.run(here) == b"ab\ncd"
            assert session.run(there[0]) == b"ab\ncd"
            with pytest.raises(tf.errors.PermissionDeniedError, match="/job:ps/replica:0/task:0"):
                session.run(there[1])


def test_the_working_folder_is_the_default(place, monkeypatch):
    monkeypatch.chdir(place / "inside")
    with tf.train.Server.create_local_server() as server:
        monkeypatch.chdir(place / "outside")
        assert run(server, tf.read_file, "open") == b"ab\ncd"
        with pytest.raises(tf.errors.PermissionDeniedError):
            run(server, tf.read_file, "secret/../../outside/secret")


def test_sessions_of_this_process_go_anywhere(place):
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.read_file(str(place / "inside" / "link"))) == b"ab\ncd"


def test_the_whole_file_system_if_asked_for(place):
    with tf.train.Server({"a": ["localhost:0"]}, file_root="/") as server:
        assert run(server, tf.read_file, str(place / "outside" / "secret")) == b"ab\ncd"
        assert run(server, matching_files, f"{place}/in*").tolist() == [
            os.fsencode(place / "inside")
        ]


def test_a_root_that_is_none(place):
    with pytest.raises(tf.errors.NotFoundError, match="there is no folder"):
        tf.train.Server({"a": ["localhost:0"]}, file_root=place / "nowhere")


@pytest.mark.parametrize("by_rpc", [False, True])
def test_names_that_are_none(server, by_rpc):
    rpc = tf.ConfigProto()
    rpc.rpc_options.use_rpc_for_inprocess_master = by_rpc
    kinds = {
        b"a\0b": tf.errors.InvalidArgumentError,
        b"\xff\xfe": tf.errors.NotFoundError,
        b"x" * 5000: tf.errors.UnknownError,  # too long
    }
    with tf.Graph().as_default(), tf.Session(server.target, config=rpc) as session:
        name = tf.placeholder(tf.string, [])
        content = tf.read_file(name)
        for text, error in kinds.items():
            with pytest.raises(error):
                session.run(content, {name: text})
        assert session.run(content, {name: b"open"}) == b"ab\ncd"
    assert FileRoot("/").path("etc") == "/etc"


def test_checkpoints_stay_inside(place, server):
    inside, outside = place / "inside", place / "outside"
    (inside / "m.index").symlink_to(outside / "secret")
    (inside / "m.data-00000-of-00001").symlink_to(outside / "secret")
    (inside / "m.data-00001-of-00002").symlink_to(outside / "secret")
    for _ in range(2):
        run(server, saving, "m", "SaveV2")
    assert (outside / "secret").read_text() == "ab\ncd"
    assert run(server, lambda: restoring("m", "RestoreV2").outputs[0]) == 1.0
    (inside / "m.data-00000-of-00002").unlink()
    (inside / "m.data-00000-of-00002").symlink_to(outside / "secret")
    with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the folder"):
        run(server, lambda: restoring("m", "RestoreV2").outputs[0])
    with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the folder"):
        run(
            server,
            lambda: tf.get_default_graph().create_op(
                "MergeV2Checkpoints", [tf.constant(["m"]), tf.constant("../outside/m")]
            ),
        )


def test_several_folders_and_those_that_the_environment_names(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    root = FileRoot(first, second)
    assert root.path("file") == str(first / "file")
    assert root.path(str(second / "file")) == str(second / "file")
    assert root.glob(os.fsencode(second / "*")) == [os.fsencode(second / "file")]
    with pytest.raises(tf.errors.PermissionDeniedError, match=re.escape(f"{first}, {second}")):
        root.path(str(tmp_path / "file"))
    monkeypatch.setenv("TINYTF_FILE_ROOT", f"{first}{os.pathsep}{second}")
    with tf.train.Server({"local": ["localhost:0"]}) as server, tf.Session(server.target) as sess:
        assert sess.run(tf.read_file(str(second / "file"))) == b"second"
        assert sess.run(tf.read_file("file")) == b"first"
