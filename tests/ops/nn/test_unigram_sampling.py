"""Samplers whose numbers are in a file, and samplers of several sessions."""

import pytest

import tinytf as tf

# A class that TensorFlow draws of such a file: the last number of each line that is not empty.
TEXT = "a,3\n\nb,1.5\nc,,4\n7\n"


def sampler(**how):
    return tf.nn.fixed_unigram_candidate_sampler([[0, 3], [2, 1]], 2, 3, True, 4, seed=3, **how)


def test_the_last_numbers_of_lines(tmp_path):
    (tmp_path / "words.csv").write_text(TEXT)
    tf.set_random_seed(2)
    samples = sampler(vocab_file=str(tmp_path / "words.csv"))
    with tf.Session() as sess:
        first, second = sess.run(samples), sess.run(samples)
    assert [first[0].tolist(), second[0].tolist()] == [[1, 2, 3], [3, 2, 0]]  # as TensorFlow's
    assert first[2] == pytest.approx([0.29032257, 0.7741935, 1.3548387])


def test_a_line_without_a_number(tmp_path):
    (tmp_path / "words.csv").write_text("a,3\nb,x\n")
    samples = sampler(vocab_file=str(tmp_path / "words.csv"))
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        sess.run(samples)
    assert "Wrong vocabulary format at line: b,x" in str(raised.value)


def test_sessions_count_for_themselves():
    classes = tf.nn.learned_unigram_candidate_sampler([[5]], 1, 64, False, 6, seed=1)
    with tf.Session() as one, tf.Session() as other:
        runs = [one.run(classes)[1][0, 0] for _ in range(3)]
        assert other.run(classes)[1][0, 0] == runs[0]
    assert runs == pytest.approx([64 / 6, 64 * 2 / 7, 64 * 3 / 8])
