"""Hidden checks of ch08.ex2: other sentences, other sizes."""

from exercise_checks import given, must_be_filled, must_be_short, sentences_in, short

from tinytf.grading import Wrong, point

SENTENCES = [
    ([], 7),
    ([-1], -2),
    ([5, -1, -1], 3),
    ([8], 0),
    ([1, 2, 3, 4, 5, 6, 7], 9),
    ([-1, 4], 1),
    ([2, 2], 2),
    ([9, 8, 7], 5),
]


@point("other sentences, in which -1 is a word, too", 2)
def other_sentences(answer):
    for longest in (0, 1, 2, 7):
        must_be_short(answer, longest, SENTENCES)
        must_be_filled(given(answer, longest, 3, 1, SENTENCES)[0])


@point("other sizes and more epochs", 2)
def other_sizes(answer):
    for longest, size, epochs in ((3, 4, 3), (2, 1, 2), (9, 20, 4)):
        batches = given(answer, longest, size, epochs, SENTENCES)[0]
        once = short(longest, SENTENCES)
        if sentences_in(batches) != once * epochs:
            raise Wrong(
                f"{epochs} epochs of sentences of at most {longest} words",
                once * epochs,
                sentences_in(batches),
            )
        sizes = [len(labels) for _, _, labels in batches]
        full, rest = divmod(len(once), size)
        wanted = ([size] * full + [rest] * (rest > 0)) * epochs
        if sizes != wanted:
            raise Wrong(
                f"batches of {size}, {epochs} epochs of {len(once)} sentences", wanted, sizes
            )
