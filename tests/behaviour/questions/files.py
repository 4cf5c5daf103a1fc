"""Whole files, and `tf.gfile`."""

import os
import tempfile

from tests.behaviour.asking import question, says


def content(path):
    with open(path, "rb") as file:
        return file.read()


def run(tf, fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@question
def whole_files(tf):
    here = tempfile.mkdtemp()
    path = os.path.join(here, "new", "deep", "file")
    run(tf, tf.write_file(path, b"one"))
    first = content(path)
    run(tf, tf.write_file(path, b"2"))
    name = tf.placeholder(tf.string)

    def read_file(given):
        return run(tf, tf.read_file(name), {name: given})

    found = run(tf, tf.matching_files([here + "/new/*/f*", here + "/n?w", here + "/*/[a-e]*"]))
    return {
        "first": first,
        "again": content(path),
        "read": read_file(path),
        "left": os.listdir(os.path.dirname(path)),
        "operation": tf.write_file("a", "b").type,
        "found": [os.path.relpath(one.decode(), here) for one in found],
        "nothing found": run(tf, tf.matching_files(here + "/*.csv")),
        "no file": says("/nowhere; No such file or directory", read_file, "/nowhere"),
        "a folder": says("; Is a directory", read_file, here),
        "write a folder": says("; Is a directory", run, tf, tf.write_file(here, "x")),
        "below a file": says("a directory", run, tf, tf.write_file(path + "/x", "x")),
    }


@question
def gfile_reading(tf):
    path = os.path.join(tempfile.mkdtemp(), "text")
    with tf.gfile.GFile(path, "w") as file:
        file.write("héllo\n")
        file.write(b"world\n")
        told = file.tell()
        size = file.size()
        refused = says("File isn't open for reading", file.read)
    file = tf.gfile.GFile(path)
    parts = [file.readline(), file.tell(), file.read(2), file.read(), file.read()]
    file.seek(7)
    rest = file.readlines()
    file.seek(-3, 2)
    end = file.read()
    file.seek(-2, 1)
    return {
        "told": told,
        "not yet there": size,
        "refused": refused,
        "parts": parts,
        "rest": rest,
        "end": end,
        "from here": file.read(),
        "size": file.size(),
        "seekable": file.seekable(),
        "name and mode": [file.name == path, file.mode],
        "again": [file.close(), file.read()],
        "lines": list(tf.gfile.GFile(path)),
        "bytes": tf.gfile.GFile(path, "rb").read(),
        "write": says("File isn't open for writing", file.write, "x"),
        "whence": says("Invalid whence argument: 7. Valid values are 0, 1, or 2.", file.seek, 0, 7),
        "before the start": says("Seeking to a negative position: -5", file.seek, -5),
        "no file": says("/nowhere; No such file or directory", tf.gfile.GFile("/nowhere").read),
        "mode": says(
            "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'", tf.gfile.GFile, "/x", "q"
        ),
        "a folder": says("; Is a directory", tf.gfile.GFile("/dev").read),
        "no folder": says(
            "/nowhere/x; No such file or directory", tf.gfile.GFile("/nowhere/x", "w").write, "x"
        ),
        "a number": says(
            "Expected binary or unicode string, got 3", tf.gfile.GFile(path + "2", "w").write, 3
        ),
    }


@question
def gfile_appending(tf):
    path = os.path.join(tempfile.mkdtemp(), "text")
    for text in ("1", "2"):
        file = tf.gfile.Open(path, "a")
        file.write(text)
        file.flush()
    both = content(path)
    file.close()
    with tf.gfile.FastGFile(path, "r+") as file:
        changed = file.read()
    with tf.io.gfile.GFile(path, "w+") as file:
        file.write("new")
    return {
        "both": both,
        "r+": changed,
        "w+": content(path),
        "a+": tf.gfile.GFile(path, "a+").read(),
    }


@question
def gfile_folders(tf):
    gfile, here = tf.gfile, tempfile.mkdtemp()
    inner = os.path.join(here, "a", "b")
    made = [
        gfile.MkDir(here + "/a"),
        gfile.MkDir(here + "/a"),
        gfile.MakeDirs(inner),
        gfile.MakeDirs(inner),
    ]
    for name in ("/x", "/a/y", "/a/b/z"):
        gfile.GFile(here + name, "w").write("123")

    def walked(**options):
        return [
            (os.path.relpath(top, here), sorted(inside), sorted(files))
            for top, inside, files in gfile.Walk(here, **options)
        ]

    before = walked(), walked(in_order=False)
    found = [os.path.relpath(p, here) for p in sorted(gfile.Glob([here + "/a/*", here + "/x"]))]
    copied = gfile.Copy(here + "/x", here + "/copy"), gfile.Rename(here + "/copy", here + "/moved")
    statistics = gfile.Stat(here + "/x")
    answers = {
        "made": made,
        "walked": before,
        "found": found,
        "copied": copied,
        "moved": content(here + "/moved"),
        "is folder": [gfile.IsDirectory(here), gfile.IsDirectory(here + "/x")],
        "exists": [gfile.Exists(here + "/x"), gfile.Exists(here + "/q"), gfile.Exists("")],
        "statistics": [statistics.length, statistics.is_directory, gfile.Stat(here).is_directory],
        "list": sorted(gfile.ListDirectory(here)),
        "newer": sorted(tf.io.gfile.listdir(here + "/a")),
        "no such folder": list(gfile.Walk(here + "/q")),
        "join": tf.io.gfile.join("a", "b", "/c"),
        "list nothing": says("Could not find directory", gfile.ListDirectory, here + "/q"),
        "deep": says("; No such file or directory", gfile.MkDir, here + "/q/r"),
        "make a file": says("is not a directory", gfile.MakeDirs, here + "/x"),
        "copy over": says("file already exists", gfile.Copy, here + "/x", here + "/moved"),
        "rename over": says("file already exists", gfile.Rename, here + "/x", here + "/moved"),
        "rename nothing": says(
            "; No such file or directory", gfile.Rename, here + "/q", here + "/r"
        ),
        "copy nothing": says("; No such file or directory", gfile.Copy, here + "/q", here + "/r"),
        "remove a folder": says("; Is a directory", gfile.Remove, here + "/a"),
        "remove nothing": says("; No such file or directory", gfile.Remove, here + "/q"),
        "no statistics": says("; No such file or directory", gfile.Stat, here + "/q"),
        "delete nothing": says("not found", gfile.DeleteRecursively, here + "/q"),
        "allowed": gfile.Copy(here + "/x", here + "/moved", overwrite=True),
    }
    gfile.Remove(here + "/moved")
    tf.io.gfile.rmtree(here + "/a")
    return {**answers, "left": os.listdir(here)}
