"""The special functions against exact values, made with mpmath in 50 digits and rounded once."""

import importlib

import numpy as np
import pytest

import tinytf as tf
from tinytf.testing.evaluator import evaluate

MODULES = ("error_functions", "gamma_functions", "incomplete_gamma", "bessel", "functions")
#: function -> (arguments ..., value)
EXACT = {
    "erf": [
        (1e-300, 1.1283791670955126e-300),
        (-0.3, -0.3286267594591274),
        (0.95, 0.8208908072732779),
        (1.05, 0.8624361060900967),
        (-2.5, -0.999593047982555),
        (5.75, 0.9999999999999996),
    ],
    "erfc": [
        (-3.0, 1.9999779095030015),
        (-0.3, 1.3286267594591274),
        (0.45, 0.5245182802130763),
        (0.55, 0.436676633674891),
        (2.5, 0.0004069520174449589),
        (9.75, 2.9857008328005782e-43),
        (26.0, 5.663192408856143e-296),
    ],
    "ndtri": [
        (1e-300, -37.0470962993612),
        (1e-20, -9.262340089798407),
        (0.01, -2.326347874040841),
        (0.099, -1.2872705631079415),
    ],
    "erfinv": [
        (-1e-12, -8.86226925452758e-13),
        (0.3, 0.2724627147267543),
        (0.79, 0.8864046222035435),
        (-0.81, -0.9267193774955288),
        (0.9990234375, 2.331467773621948),
    ],
    "lgamma": [
        (1e-10, 23.025850929882736),
        (0.4, 0.7966778177017837),
        (0.9990234375, 0.0005644719118551234),
        (1.0009765625, -0.0005629031799912047),
        (2.03125, 0.013524883664985622),
        (6.7, 6.024433829872084),
        (9.9, 12.57717990421988),
        (10.1, 13.027526738633236),
        (123.456, 469.6055471299295),
        (1e200, 4.595170185988091e202),
        (-0.3, 1.4648400508576025),
        (-7.2, -7.254805605079729),
    ],
    "digamma": [
        (1e-10, -10000000000.577215),
        (0.4, -2.561384544585116),
        (1.4616321449683622, -9.241265521729427e-17),
        (1.5, 0.03648997397857652),
        (2.5, 0.7031566406452432),
        (9.9, 2.2411803166063815),
        (10.1, 2.262214357094148),
        (1e200, 460.51701859880916),
        (-0.3, 2.113309779635399),
        (-7.2, 6.365952363045109),
    ],
    "polygamma": [
        (1.0, 0.3, 12.245364546107732),
        (2.0, 7.5, -0.020305252536644666),
        (5.0, -1.7, 165659.80077263742),
        (20.0, 3.5, -9182070.204945628),
        (29.0, -2.5, 1.898753930106398e40),
        (30.0, -2.25, 1.2232629049437595e51),
    ],
    "zeta": [
        (1.0625, 0.5, 18.050021021803595),
        (2.0, 1.0, 1.6449340668482264),
        (3.5, 20.25, 0.0002305350028492296),
        (15.0, 0.75, 74.83114030734694),
        (40.0, 1.0, 1.0000000000009095),
    ],
    "igamma": [
        (0.25, 0.125, 0.6401572060830841),
        (1.5, 1.25, 0.5247089166569794),
        (3.5, 8.0, 0.9748836392531472),
        (50.0, 45.0, 0.24680203440017026),
        (1000.0, 990.0, 0.3795213785379639),
        (100000.0, 100300.0, 0.8286363112512076),
    ],
    "igammac": [
        (0.25, 0.875, 0.08212994804795598),
        (1.5, 1.75, 0.32076212080563904),
        (3.5, 20.0, 1.2587903873713088e-06),
        (50.0, 75.0, 0.0009039320423540091),
        (1000.0, 990.0, 0.620478621462036),
        (100000.0, 100300.0, 0.17136368874879235),
    ],
    "igamma_grad_a": [
        (0.25, 0.125, -1.2360782806752975),
        (1.5, 1.25, -0.36724532823744777),
        (3.5, 8.0, -0.028147821911578642),
        (50.0, 45.0, -0.04554329214012388),
    ],
    "betainc": [
        (0.25, 0.5, 0.125, 0.4595274422765003),
        (2.0, 3.0, 0.75, 0.94921875),
        (12.0, 0.5, 0.9, 0.1155228542668322),
        (40.0, 60.0, 0.35, 0.15345812249917357),
        (800.0, 700.0, 0.53125, 0.43532694383414433),
    ],
    "i0": [
        (0.25, 1.015686141223608),
        (-7.9, 389.406283282158),
        (8.1, 469.5006067101215),
        (700.0, 1.5295933476718737e302),
    ],
    "i0e": [
        (0.25, 0.7910171621397194),
        (-7.9, 0.14436986414104191),
        (8.1, 0.14251180948829528),
        (100000.0, 0.0012615678379767768),
    ],
    "i1": [
        (0.25, 0.12597910894546793),
        (-7.9, -363.8539440845084),
        (8.1, 439.48430891035844),
        (700.0, 1.5285003902339006e302),
    ],
    "i1e": [
        (0.25, 0.09811262869736824),
        (-7.9, -0.13489649943989376),
        (8.1, 0.13340068832583662),
        (100000.0, 0.0012615615301218171),
    ],
}
ELSEWHERE = [0.25, 1.75, 3.0, 7.9, 8.1, 40.0]
#: function of one argument -> its values at ELSEWHERE
SPECIAL = {
    "j0": [
        0.9844359292958527,
        0.36903253018515075,
        -0.26005195490193345,
        0.19436184484127825,
        0.14751745404437766,
        0.00736689058423729,
    ],
    "j1": [
        0.12402597732272692,
        0.5801561976389925,
        0.3390589585259365,
        0.2191793999217512,
        0.24760776698159287,
        0.126038318037585,
    ],
    "y0": [
        -0.9315730249300587,
        0.46549262864690605,
        0.3768500100127904,
        0.20652094814437577,
        0.23809132870223482,
        0.12593641705826092,
    ],
    "y1": [
        -2.7041052293152825,
        -0.2539729859462457,
        0.3246744247918,
        -0.18172107728057313,
        -0.13314879595249593,
        -0.005793505821549633,
    ],
    "k0": [
        1.5415067512483027,
        0.1553798123866036,
        0.03473950438627925,
        0.0001628676676876532,
        0.00013173427864935836,
        8.392861100099567e-19,
    ],
    "k1": [
        3.7470259744407115,
        0.19547745347439302,
        0.040156431128194184,
        0.00017288430649238984,
        0.00013964122894503082,
        8.497131954861039e-19,
    ],
    "k0e": [
        1.9793338485985688,
        0.8941490841572174,
        0.6977615980438517,
        0.4393000819002152,
        0.4339943754308567,
        0.19755558495729816,
    ],
    "k1e": [
        4.811276588171025,
        1.1248950768625277,
        0.8065634801287869,
        0.4663177847368799,
        0.4600435707528057,
        0.20000996725443349,
    ],
    "dawsn": [
        0.23983916356289822,
        0.3594364206717429,
        0.1782710306105583,
        0.0638109032198449,
        0.06221000236682679,
        0.012503909917843973,
    ],
    "expint": [
        -0.5425432646619137,
        4.083653659076957,
        9.933832570625416,
        404.7006958537439,
        479.32172207958024,
        6039718263611242.0,
    ],
    "fresnel_cos": [
        0.2497591503565432,
        0.3219350461495379,
        0.6057207892976856,
        0.47597379384841176,
        0.5227506125578564,
        0.49999841685744545,
    ],
    "fresnel_sin": [
        0.008175600235777757,
        0.49938467459067454,
        0.496312998967375,
        0.5323420347477718,
        0.5320393956415611,
        0.4920422537902731,
    ],
    "spence": [
        0.9784693929303061,
        -0.6427612688399789,
        -1.4367463668836808,
        -3.3703320297344748,
        -3.4297462422652027,
        -8.330297527721036,
    ],
}
EXACT |= {name: list(zip(ELSEWHERE, values)) for name, values in SPECIAL.items()}
#: How far the values may be off, in units in the last place; 8 for those not listed. Exponents of
#: several hundred, and cancelling summands, cost digits.
UNITS = {
    "j0": 20,
    "j1": 20,
    "y0": 20,
    "y1": 20,
    "igamma": 20,
    "igammac": 20,
    "igamma_grad_a": 100,
    "betainc": 40,
    "polygamma": 20,
}


def implementation(name):
    for module in MODULES:
        functions = importlib.import_module(f"tinytf.ops.math.special.{module}")
        found = getattr(functions, f"{name}_values", None)
        if found is not None:
            return found
    raise AttributeError(name)


@pytest.mark.parametrize("name", sorted(EXACT))
def test_values_are_exact_but_for_a_few_units_in_the_last_place(name):
    *arguments, expected = (np.array(column) for column in zip(*EXACT[name]))
    with np.errstate(all="ignore"):
        found = implementation(name)(*arguments)
    off = np.abs(found - expected) / np.spacing(np.abs(expected))
    assert (off <= UNITS.get(name, 8)).all(), list(zip(*arguments, found, expected, off))


@pytest.mark.parametrize("name", sorted(EXACT))
def test_one_element_and_many_give_the_same(name):
    *arguments, _ = (np.array(column) for column in zip(*EXACT[name]))
    function = implementation(name)
    with np.errstate(all="ignore"):
        together = function(*arguments)
        alone = [function(*(a[i : i + 1] for a in arguments))[0] for i in range(len(together))]
    # Continued fractions of many elements are as deep as the slowest one needs.
    np.testing.assert_allclose(together, alone, rtol=1e-14)


def test_narrow_types_are_computed_in_double():
    x = np.linspace(-3.0, 3.0, 1001).astype(np.float32)
    [narrow, wide] = evaluate([tf.erf(x), tf.cast(tf.erf(x.astype(np.float64)), tf.float32)])
    assert (narrow == wide).all()


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (1, 2, 1)])
def test_shapes_are_kept(shape):
    x = np.full(shape, 0.5)
    for made in (tf.erf(x), tf.lgamma(x), tf.igamma(x, x), tf.betainc(x, x, x), tf.zeta(x + 2, x)):
        value = evaluate([made])[0]
        assert (np.shape(value), value.dtype) == (shape, np.float64)


def test_inverse_functions_are_inverse():
    p = np.concatenate([np.linspace(0.001, 0.999, 999), 10.0 ** -np.arange(4, 300, 7)])
    values = evaluate([0.5 * tf.erfc(-tf.math.ndtri(p) * np.sqrt(0.5)), tf.erf(tf.math.erfinv(p))])
    # The distribution changes by z units where z changes by one.
    np.testing.assert_allclose(values[0], p, rtol=1e-12)
    np.testing.assert_allclose(values[1], p, rtol=1e-14)


def test_recurrences_hold_across_the_regions():
    x = np.concatenate([np.linspace(0.05, 30.0, 600), -np.linspace(0.05, 9.95, 300)])
    [one, more, psi, psi_more] = evaluate(
        [tf.lgamma(x), tf.lgamma(x + 1), tf.digamma(x), tf.digamma(x + 1)]
    )
    np.testing.assert_allclose(one + np.log(np.abs(x)), more, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(psi + 1 / x, psi_more, rtol=1e-12, atol=1e-11)


def test_lgamma_of_one_is_no_negative_zero():
    [value] = evaluate([tf.lgamma(tf.constant([1.0, 2.0], tf.float64))], {})
    assert not np.signbit(value).any()
