"""`tf.distributions`: samples of seeds bit for bit, densities, what is derived from them."""

from tests.conformance.registry import Program, case

# Graphs are not TensorFlow's node by node: fewer formulas give the same values.

#: How each is made: the class, its arguments, values to be asked about.
MADE = {
    "normal": ("Normal", {"loc": [0.0, 1.0], "scale": [[1.0], [2.0]]}, [[-30.0, 0.5], [1.0, 7.0]]),
    "laplace": ("Laplace", {"loc": [0.0, -1.0], "scale": 2.0}, [-3.0, 4.0]),
    "uniform": ("Uniform", {"low": 1.0, "high": [3.0, 5.0]}, [[0.5, 2.0], [3.0, float("nan")]]),
    "student_t": ("StudentT", {"df": [0.5, 1.5, 3.0], "loc": 1.0, "scale": 2.0}, [-2.0, 1.0, 4.0]),
    "gamma": ("Gamma", {"concentration": [0.5, 3.0], "rate": [[1.0], [2.0]]}, [0.3, 2.0]),
    "exponential": ("Exponential", {"rate": [0.5, 3.0]}, [0.3, 2.0]),
    "beta": ("Beta", {"concentration1": [0.5, 3.0], "concentration0": [2.0, 1.5]}, [0.25, 0.75]),
    "bernoulli": ("Bernoulli", {"logits": [-1.0, 0.5, 2.0]}, [0, 1, 1]),
    "bernoulli_probs": ("Bernoulli", {"probs": [0.25, 0.75]}, [[0, 1], [1, 0], [1, 1]]),
    "categorical": ("Categorical", {"logits": [[0.0, 1.0, -1.0], [2.0, 0.0, 0.5]]}, [[0, 2]]),
    "categorical_probs": ("Categorical", {"probs": [0.1, 0.2, 0.7]}, [2, 0, 1]),
    "multinomial": ("Multinomial", {"total_count": 4.0, "probs": [0.2, 0.3, 0.5]}, [1.0, 1.0, 2.0]),
    "dirichlet": ("Dirichlet", {"concentration": [1.5, 2.0, 3.0]}, [0.2, 0.3, 0.5]),
    "dirichlet_multinomial": (
        "DirichletMultinomial",
        {"total_count": 4.0, "concentration": [[1.5, 2.0, 3.0], [1.0, 1.0, 1.0]]},
        [1.0, 1.0, 2.0],
    ),
}
SCALARS = "normal laplace uniform student_t gamma exponential beta".split()
CHOICES = "bernoulli bernoulli_probs categorical categorical_probs".split()
VECTORS = "multinomial dirichlet dirichlet_multinomial".split()
#: What is asked of all, and what only some can say.
ABOUT = "batch_shape_tensor event_shape_tensor is_scalar_batch is_scalar_event".split()
MORE = {
    "mean": [name for name in MADE if "categorical" not in name],
    "variance": [name for name in MADE if "categorical" not in name],
    "stddev": [name for name in MADE if "categorical" not in name],
    "entropy": [*SCALARS, *CHOICES, "dirichlet"],
    "covariance": VECTORS,
    "mode": [name for name in MADE if "multinomial" not in name and name != "uniform"],
}
VALUES = {
    "cdf": [*SCALARS, "categorical", "categorical_probs"],
    "log_cdf": SCALARS,
    "survival_function": SCALARS,
    "log_survival_function": [name for name in SCALARS if name != "student_t"],
}


def make(tf, name, **more):
    """One of them, and values."""
    kind, arguments, values = MADE[name]
    return getattr(tf.distributions, kind)(**arguments, **more), values


@case(each=list(MADE), graph="any")
def samples_of_distributions(tf, name):
    it, _ = make(tf, name)
    return [it.sample(seed=7), it.sample(3, seed=1), it.sample([2, 2], seed=1)]


@case(each=list(MADE), graph="any", rtol=2e-5)
def values_of_distributions(tf, name):
    it, values = make(tf, name)
    asked = ["log_prob", "prob", *(way for way, names in VALUES.items() if name in names)]
    return [getattr(it, way)(values) for way in asked]


@case(each=list(MADE), graph="any", rtol=1e-5)
def facts_about_distributions(tf, name):
    it, _ = make(tf, name)
    asked = [*ABOUT, *(way for way, names in MORE.items() if name in names)]
    return [getattr(it, way)() for way in asked]


#: Second ones of the same class, to be compared with.
OTHERS = {
    "normal": {"loc": 0.5, "scale": [1.0, 3.0]},
    "gamma": {"concentration": 2.0, "rate": [0.5, 3.0]},
    "exponential": {"rate": [1.5, 1.0]},
    "beta": {"concentration1": 2.0, "concentration0": [1.0, 3.0]},
    "bernoulli": {"logits": [0.5, 0.0, -1.0]},
    "categorical": {"logits": [0.0, 0.5, 1.0]},
    "dirichlet": {"concentration": [1.0, 1.0, 2.0]},
}


@case(each=list(OTHERS), graph="any", rtol=1e-5)
def divergences(tf, name):
    one, _ = make(tf, name)
    other = one.copy(**OTHERS[name])
    strict = tf.distributions.kl_divergence(other, one, allow_nan_stats=False)
    return [one.kl_divergence(other), one.cross_entropy(other), strict]


@case(each=list(MADE), graph="any", rtol=1e-4, atol=1e-5)
def gradients_of_distributions(tf, name):
    """Of samples, where they have any, and of densities, by the parameters."""
    kind, arguments, values = MADE[name]
    names = [key for key in arguments if key != "total_count"]
    tensors = {key: tf.constant(arguments[key]) for key in names}
    it = getattr(tf.distributions, kind)(**{**arguments, **tensors})
    wanted = [it.log_prob(values)]
    if it.reparameterization_type is tf.distributions.FULLY_REPARAMETERIZED:
        wanted.append(it.sample(2, seed=1))
    found = [tf.gradients(y, list(tensors.values())) for y in wanted]
    return [gradient for each in found for gradient in each if gradient is not None]


@case(graph="any", rtol=1e-5)
def normal_quantiles(tf):
    return tf.distributions.Normal(1.0, [2.0, 0.5]).quantile([[0.025], [0.5], [0.999]])


@case(graph="any")
def distributions_of_unknown_shapes(tf):
    logits, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    it = tf.distributions.Categorical(logits)
    fetches = [it.sample(n, seed=3), it.log_prob(it.mode()), it.batch_shape_tensor(), it.event_size]
    feeds = [{logits: [1.0, 2.0], n: 3}, {logits: [[[1.0, 2.0, 3.0]]], n: [2, 1]}]
    return Program(fetches, feed=feeds)


#: What is refused: the class, its arguments, a method and its argument, words of the message.
REFUSED = {
    "scale": ("Normal", {"loc": 0.0, "scale": -1.0}, "mean", None),
    "range": ("Uniform", {"low": 1.0, "high": 1.0}, "mean", None),
    "rate": ("Gamma", {"concentration": 1.0, "rate": 0.0}, "mean", None),
    "concentration": ("Beta", {"concentration1": 0.0, "concentration0": 1.0}, "mean", None),
    "probability": ("Bernoulli", {"probs": [1.5]}, "mean", None),
    "sum": ("Categorical", {"probs": [0.5, 0.6]}, "entropy", None),
    "event": ("Bernoulli", {"probs": [0.5]}, "log_prob", [2]),
    "class": ("Categorical", {"probs": [0.5, 0.5]}, "log_prob", [-1]),
    "parts": ("Multinomial", {"total_count": 3.0, "probs": [0.5, 0.5]}, "log_prob", [1.5, 1.5]),
    "simplex": ("Dirichlet", {"concentration": [1.0, 1.0]}, "log_prob", [0.5, 0.6]),
    "share": ("Beta", {"concentration1": 1.0, "concentration0": 1.0}, "prob", [1.0]),
    "beta_mode": ("Beta", {"concentration1": 1.0, "concentration0": 3.0}, "mode", None),
    "gamma_mode": ("Gamma", {"concentration": 1.0, "rate": 1.0}, "mode", None),
    "mean": ("StudentT", {"df": 1.0, "loc": 1.0, "scale": 1.0}, "mean", None),
}


@case(each=list(REFUSED), graph="any", error="")
def refused_by_distributions(tf, name):
    kind, arguments, method, value = REFUSED[name]
    how = {"validate_args": True, "allow_nan_stats": False}
    it = getattr(tf.distributions, kind)(**arguments, **how)
    return getattr(it, method)(*([] if value is None else [value]))


#: Refused when it is made.
WRONG = {
    "both": ("Bernoulli", {"logits": 0.0, "probs": 0.5}),
    "none": ("Categorical", {}),
    "integers": ("Categorical", {"probs": [0, 1]}),
    "one_class": ("Categorical", {"probs": [1.0], "validate_args": True}),
    "integer": ("Normal", {"loc": 0, "scale": 1}),
    "types": ("Normal", {"loc": 0.0, "scale": [1, 2]}),
}


@case(each=list(WRONG), error="")
def wrong_distributions(tf, name):
    kind, arguments = WRONG[name]
    return getattr(tf.distributions, kind)(**arguments).sample()
