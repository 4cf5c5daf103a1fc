"""tf.gfile: folders, patterns, copies, and reading and writing in the graph."""

import tensorflow as tf

tf.gfile.MakeDirs("data/deep")
with tf.gfile.GFile("data/a.txt", "w") as f:
    f.write("first line\nsecond line\n")
tf.gfile.Copy("data/a.txt", "data/deep/b.txt", overwrite=True)
print(
    tf.gfile.Glob("d*/a*"),
    sorted(tf.gfile.Glob("data/*")),
    tf.gfile.IsDirectory("data"),
    tf.gfile.ListDirectory("data/deep"),
)
print([(r, sorted(d), sorted(n)) for r, d, n in tf.gfile.Walk("data")])
with tf.gfile.Open("data/deep/b.txt") as f:
    print(f.readline(), end="")
    print(f.size(), repr(f.read()))
print(tf.gfile.Stat("data/a.txt").length, tf.gfile.Exists("data/none"))
content = tf.read_file("data/a.txt")
write = tf.write_file("data/c.txt", tf.string_join([content, "third line"]))
with tf.Session() as sess:
    sess.run(write)
    print(sess.run(content), sess.run(tf.matching_files("data/*.txt")))
    try:
        sess.run(tf.read_file("data/none"))
    except tf.errors.NotFoundError as error:
        print(type(error).__name__)
try:
    tf.gfile.Remove("data/none")
except tf.errors.NotFoundError as error:
    print(type(error).__name__)
tf.gfile.DeleteRecursively("data")
print(tf.gfile.Exists("data"))
