"""Checks of ch08.ex2."""

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point

#: Words and labels; one sentence has none at all, and one has a word 0.
SENTENCES = [
    ([11, 12], 1),
    ([21], 0),
    ([31, 32, 33, 34, 35], 1),
    ([41, 0, 43], 1),
    ([], 0),
    ([61, 62, 63, 64], 0),
]
#: More batches than any answer has.
MOST = 30


def given(answer, longest, size, epochs, source=SENTENCES):
    """The batches of an answer, as arrays, and whether the generator was started too early."""
    started = []

    def sentences():
        started.append("started")
        yield from source

    with tf.Graph().as_default(), tf.Session() as sess:
        made = answer(sentences, longest, size, epochs)
        if not isinstance(made, tf.data.Dataset):
            raise Wrong(
                "build_sentences must return a dataset",
                "a tf.data.Dataset",
                f"a {type(made).__name__}",
            )
        early = bool(started)
        batch = made.make_one_shot_iterator().get_next()
        if not isinstance(batch, tuple) or len(batch) != 3:
            raise Wrong(
                "an element must have three parts", "(words, lengths, labels)", repr(batch)[:80]
            )
        batches = []
        while len(batches) < MOST:
            try:
                batches.append(sess.run(batch))
            except tf.errors.OutOfRangeError:
                return batches, early
        raise Wrong(
            "the dataset does not end",
            f"{epochs} epochs",
            f"{MOST} batches and more",
            hint="`repeat` without a number repeats for ever",
        )


def sentences_in(batches):
    """The sentences of batches, without what was filled up."""
    found = []
    for words, lengths, labels in batches:
        for row, length, label in zip(words, lengths, labels, strict=True):
            found.append((row[: int(length)].tolist(), int(label)))
    return found


def short(longest, source=SENTENCES):
    """The sentences that are not left out."""
    return [pair for pair in source if len(pair[0]) <= longest]


@point("the sentences that are short enough come in an epoch, each with its label", 2)
def all_short_ones(answer):
    for longest in (3, 4, 9):
        must_be_short(answer, longest, SENTENCES)


def must_be_short(answer, longest, source):
    """The sentences that are short enough come, with their labels."""
    found = sentences_in(given(answer, longest, 2, 1, source)[0])
    if found != short(longest, source):
        raise Wrong(
            f"sentences of at most {longest} words",
            short(longest, source),
            found,
            hint="`lengths` says how many words each sentence has",
        )


@point("a batch is filled up with -1, as far as its own longest sentence", 2)
def filled_up(answer):
    must_be_filled(given(answer, 4, 2, 1)[0])


def must_be_filled(batches):
    """Each batch is as wide as its longest sentence, with -1 behind the others."""
    for words, lengths, _ in batches:
        widest = int(max(lengths))
        if words.shape[1:] != (widest,):
            raise Wrong(
                "a batch is wider or narrower than its longest sentence",
                (len(lengths), widest),
                words.shape,
                hint="a shape of [None] is as wide as the batch needs",
            )
        for row, length in zip(words, lengths, strict=True):
            if (row[int(length) :] != -1).any():
                raise Wrong(
                    "a sentence is filled up with something else",
                    [-1] * (widest - int(length)),
                    row[int(length) :].tolist(),
                    hint="see padding_values, one for each part",
                )


@point("batches have their size, and no batch has sentences of two epochs", 3)
def sizes(answer):
    for size, wanted in ((2, [2, 2, 1]), (3, [3, 2]), (5, [5])):
        got = [len(labels) for _, _, labels in given(answer, 4, size, 1)[0]]
        if got != wanted:
            raise Wrong(
                f"batches of {size}, one epoch of 5 sentences",
                wanted,
                got,
                hint="the last batch of an epoch may be smaller",
            )
        got = [len(labels) for _, _, labels in given(answer, 4, size, 2)[0]]
        if got != wanted * 2:
            raise Wrong(
                f"batches of {size}, two epochs of 5 sentences",
                wanted * 2,
                got,
                hint="what does `repeat` repeat, where you have it?",
            )


@point("all parts are int32, and nothing is read too early", 1)
def types_and_time(answer):
    batches, early = given(answer, 4, 2, 1)
    if early:
        raise Wrong(
            "your function read the sentences while it built the pipeline",
            "the generator starts when somebody asks",
            "it had started",
            hint="from_generator takes the function itself",
        )
    types = [part.dtype.name for part in batches[0]]
    if types != ["int32"] * 3:
        raise Wrong("the types of words, lengths and labels", ["int32"] * 3, types)
    if not all(isinstance(part, np.ndarray) for part in batches[0]):
        raise Wrong("a batch must have arrays", "arrays", [type(p).__name__ for p in batches[0]])
