"""Einstein summation."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

EQUATIONS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk": [(2, 3), (3, 4)],
    "bij,bjk->bik": [(5, 2, 3), (5, 3, 4)],
    "ij->ji": [(2, 3)],
    "ba": [(2, 3)],
    "ij->": [(2, 3)],
    "ij->j": [(2, 3)],
    "ii": [(3, 3)],
    "iij->ij": [(3, 3, 2)],
    "ab,ab->ab": [(2, 3), (2, 3)],
    "ab,ab": [(2, 3), (2, 3)],
    "a,b->ba": [(2,), (3,)],
    ",ab->ab": [(), (2, 3)],
    "abc,cd->ad": [(2, 3, 4), (4, 5)],
    "...ij,...jk->...ik": [(2, 1, 2, 3), (4, 3, 2)],
    "i...,i->...": [(2, 3, 4), (2,)],
    "i...->...": [(2, 3, 4)],
    "...ij->...ji": [(2, 3, 4)],
    "ab...c,cd->d...ab": [(2, 3, 4, 5), (5, 2)],
    "abcd,cbe->dea": [(2, 3, 4, 5), (4, 3, 6)],
    "aab,bc->ac": [(2, 2, 3), (3, 4)],
    "abc,abd->cdb": [(2, 3, 4), (2, 3, 5)],
    "ij, j -> i": [(2, 3), (3,)],
    "ab,b->a": [(0, 3), (3,)],
    "ab,b->ab": [(2, 0), (0,)],
    "ab,bc->ac": [(2, 0), (0, 3)],
}
DTYPES = ["float16", "bfloat16", "float64", "int32", "int64", "complex64", "complex128"]


@case("Einsum", each=EQUATIONS)
def einsum(tf, equation):
    inputs = [numbers(tf, *shape) for shape in EQUATIONS[equation]]
    return [tf.einsum(equation, *inputs), tf.linalg.einsum(equation, *inputs, name="named")]


@case("Einsum", each=[(e, d) for d in DTYPES for e in ("ij,jk->ik", "ii->i", "ij,ij->j", "ij->")])
def einsum_of_other_types(tf, equation, dtype):
    inputs = [numbers(tf, 3, 3, dtype=dtype) for _ in equation.partition("->")[0].split(",")]
    return tf.einsum(equation, *inputs)


@case("Einsum", each=["ab,bc,cd->ad", "ab,bc,ca", "ab,ab,ab->a", "ab,cd,bc->da", "a,b,c->cab"])
def einsum_of_three(tf, equation):
    terms = equation.partition("->")[0].split(",")
    sizes = {"a": 2, "b": 3, "c": 4, "d": 5}
    return tf.einsum(equation, *[numbers(tf, *[sizes[label] for label in t]) for t in terms])


@case("Einsum")
def einsum_of_three_with_an_ellipsis(tf):
    x, y = numbers(tf, 2, 3, 4), numbers(tf, 4, 5)
    return tf.einsum("...ij,jk,kl->...il", x, y, numbers(tf, 5, 2))


@case("Einsum")
def diagonals_of_the_output(tf):
    return [
        node(tf, "Einsum", [numbers(tf, 2)], T=tf.float32, N=1, equation="a->aa"),
        node(tf, "Einsum", [numbers(tf, 2, 3)], T=tf.float32, N=1, equation="ab->bab"),
    ]


@case("Einsum", each=[([None, 3], [3, None]), (None, [3, 4]), ([2, 3], None), (None, None)])
def static_shapes_of_einsum(tf, a, b):
    x, feed = fed(tf, np.ones([2, 3]), shape=a)
    y, more = fed(tf, np.ones([3, 4]), shape=b)
    products = [
        tf.einsum("ij,jk->ik", x, y),
        tf.einsum("...ij,...jk->...ki", x, y),
        tf.einsum("i...->...i", x),
    ]
    return Program(products, feed={**feed, **more})


# The labels that are summed stand in another order in every process.
@case("Einsum", graph="types", each=[e for e in EQUATIONS if "0" not in str(EQUATIONS[e])])
def gradients_of_einsum(tf, equation):
    inputs = [numbers(tf, *shape) * 0.5 + 1 for shape in EQUATIONS[equation]]
    y = tf.einsum(equation, *inputs)
    return tf.gradients(y * y, inputs)


@case("Einsum", graph="types")
def gradients_of_einsum_of_complex_numbers(tf):
    x, y = tf.constant([[1 + 2j, 0.5]], tf.complex64), tf.constant([[1j], [2]], tf.complex64)
    return tf.gradients(tf.real(tf.einsum("ij,jk->ik", x, y)), [x, y])


@case("Einsum", graph="types", each=["...ij,...jk->...ik", "i...->...", "ij...,j...->...i"])
def gradients_of_einsum_of_unknown_shapes(tf, equation):
    values = [np.arange(24.0).reshape(2, 3, 4), np.arange(12.0).reshape(3, 4)]
    count = equation.count(",") + 1
    if equation.startswith("..."):
        values = [np.arange(24.0).reshape(2, 3, 4), np.arange(8.0).reshape(4, 2)]
    inputs = [tf.placeholder(tf.float32) for _ in range(count)]
    y = tf.einsum(equation, *inputs)
    return Program(tf.gradients(y * y, inputs), feed=dict(zip(inputs, values)))


# Errors -------------------------------------------------------------------------------------------

PUBLIC = {
    "ij,jk->iz": "Output subscripts contain the label z not present in the input subscripts.",
    "ij->ij": 'Got 2 inputs for equation "ij->ij", expecting 1',
    "i1,jk->ik": "Subscripts have incorrect format: i1,jk->ik",
    "ij,jk->ii": "Output subscripts contain a label appearing more than once: ij,jk->ii",
    "...0,jk->j": 'Invalid character "0" in equation: ...0,jk->j.',
}


@case("Einsum", error="Dimensions must be equal, but are 3 and 4")
def einsum_of_sizes_that_differ(tf):
    return tf.einsum("ij,jk->ik", numbers(tf, 2, 3), numbers(tf, 4, 2))


@case("Einsum", error="Dimensions must be equal, but are 2 and 3")
def trace_of_a_matrix_that_is_not_square(tf):
    return tf.einsum("ii", numbers(tf, 2, 3))


@case("Einsum", error="Shape must be rank 2 but is rank 3\n\t for 0th input and equation: ij->ji")
def einsum_of_another_rank(tf):
    return tf.einsum("ij->ji", numbers(tf, 2, 3, 1))


@case("Einsum", error="Shape must be at least rank 2 but is rank 1")
def einsum_of_a_rank_below_the_labels(tf):
    return tf.einsum("...ij->...ji", numbers(tf, 2))


@case("Einsum", error="Shape must be at most rank 0 but is rank 1")
def einsum_that_loses_its_ellipsis(tf):
    return node(tf, "Einsum", [numbers(tf, 2, 3)], T=tf.float32, N=1, equation="...i->i")


@case(
    "Einsum",
    error="",
    each=["ab,bc", "ab,bc->ad", "ab->ba", "ab,bc,cd->ad", "ab,b->......", "ab,b->.a", "a.b,b->a"],
)
def einsum_nodes_that_are_wrong(tf, equation):
    nodes = [numbers(tf, 2, 2), numbers(tf, 2)]
    return node(tf, "Einsum", nodes, T=tf.float32, N=2, equation=equation)


def wrong(tf, equation):
    return tf.einsum(equation, numbers(tf, 2, 3), numbers(tf, 3, 4))


@case("Einsum", error=PUBLIC["ij,jk->iz"])
def einsum_with_an_unknown_label(tf):
    return wrong(tf, "ij,jk->iz")


@case("Einsum", error=PUBLIC["ij->ij"])
def einsum_of_too_many_inputs(tf):
    return wrong(tf, "ij->ij")


@case("Einsum", error=PUBLIC["i1,jk->ik"])
def einsum_with_digits(tf):
    return wrong(tf, "i1,jk->ik")


@case("Einsum", error=PUBLIC["ij,jk->ii"])
def einsum_with_a_repeated_output(tf):
    return wrong(tf, "ij,jk->ii")


@case("Einsum", error=PUBLIC["...0,jk->j"])
def einsum_with_the_reserved_label(tf):
    return wrong(tf, "...0,jk->j")


@case("Einsum", error="Invalid keyword arguments for einsum: colour.")
def einsum_with_an_unknown_keyword(tf):
    return tf.einsum("ij->ji", numbers(tf, 2, 3), colour=1)


RUNS = {
    "ij,jk->ik": (
        "Expected dimension 3 at axis 0 of the input shaped [4,2] but got dimension 4",
        [(2, 3), (4, 2)],
    ),
    "ii->i": (
        "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3",
        [(2, 3)],
    ),
    "ij->ji": ("Expected input 0 to have rank 2 but got: 3", [(2, 3, 1)]),
    "...ij->...ji": ("Expected input 0 to have rank at least 2 but got: 1", [(2,)]),
    "...ij,...jk->...ik": (
        "Invalid broadcasting dimensions: [2,2,3] vs. [4,3,2]",
        [(2, 2, 3), (4, 3, 2)],
    ),
}


def in_the_run(tf, equation):
    shapes = RUNS[equation][1]
    inputs = [tf.placeholder(tf.float32) for _ in shapes]
    return Program(tf.einsum(equation, *inputs), feed=dict(zip(inputs, map(np.ones, shapes))))


@case("Einsum", error=RUNS["ij,jk->ik"][0])
def einsum_of_sizes_that_differ_in_the_run(tf):
    return in_the_run(tf, "ij,jk->ik")


@case("Einsum", error=RUNS["ii->i"][0])
def einsum_of_a_diagonal_that_is_none_in_the_run(tf):
    return in_the_run(tf, "ii->i")


@case("Einsum", error=RUNS["ij->ji"][0])
def einsum_of_another_rank_in_the_run(tf):
    return in_the_run(tf, "ij->ji")


@case("Einsum", error=RUNS["...ij->...ji"][0])
def einsum_of_a_rank_below_the_labels_in_the_run(tf):
    return in_the_run(tf, "...ij->...ji")


@case("Einsum", error=RUNS["...ij,...jk->...ik"][0])
def einsum_of_batches_that_differ_in_the_run(tf):
    return in_the_run(tf, "...ij,...jk->...ik")
