"""`tf.distributions`: names, shapes, copies, what is said of what is not there."""

from tests.behaviour.asking import question, says


@question
def what_they_say_of_themselves(tf):
    ds = tf.distributions
    normal, unknown = ds.Normal([0.0, 1.0], 1.0), ds.Categorical(tf.placeholder(tf.float32))
    copy = normal.copy(scale=2.0, name="other")
    with tf.name_scope("outside"):
        counts = ds.DirichletMultinomial(3.0, tf.ones([4, 2]), name="counts")
        sample = counts.sample([5, 6], name="drawn")
    made = [normal, unknown, copy, counts, ds.Exponential(tf.constant(2.0, tf.float64))]
    return {
        "text": [str(each) for each in made],
        "repr": [repr(each) for each in made],
        "parameters": [sorted(each.parameters) for each in made],
        "types": [[each.dtype, each.allow_nan_stats, each.validate_args] for each in made],
        "shapes": [[each.batch_shape, each.event_shape] for each in made],
        "reparameterized": [str(each.reparameterization_type) for each in made],
        "samples": [s.shape for s in (normal.sample(3), unknown.sample(2), sample)],
        "a scope": [normal.mean().op.name.rpartition("/")[0], sample.op.name.rpartition("/")[0]],
        "kept": [normal.loc.op.name, copy.scale.op.name, counts.concentration.shape],
    }


@question
def what_they_do_not_have(tf):
    ds = tf.distributions
    normal, gamma = ds.Normal(0.0, 1.0), ds.Gamma(1.0, 1.0)

    class Empty(ds.Distribution):
        def __init__(self):
            super().__init__(tf.float32, ds.NOT_REPARAMETERIZED, False, True, name="Empty")

    class Half(Empty):
        def _log_prob(self, value):
            raise NotImplementedError("not yet")

        def _prob(self, value):
            return 0.5 * value

        def _stddev(self):
            return tf.constant(3.0)

    empty, half = Empty(), Half()
    asked = "log_prob prob log_cdf cdf quantile".split()
    facts = "entropy mean mode variance stddev covariance batch_shape_tensor".split()
    words = "is not implemented: Empty"
    return {
        "of values": [says(words, getattr(empty, name), 1.0) for name in asked],
        "facts": [says(words, getattr(empty, name)) for name in facts],
        "a sample": says("sample_n is not implemented: Empty", empty.sample),
        "no way": says("No KL(distribution_a || distribution_b)", ds.kl_divergence, normal, gamma),
        "twice": says("has already been registered", ds.RegisterKL(ds.Normal, ds.Normal), len),
        "no function": says("must be callable", ds.RegisterKL(Empty, Empty), 1),
        "a matrix of samples": says("neither scalar nor vector", normal.sample, [[1]]),
        "another way": [t.dtype for t in (half.log_prob(1.0), half.variance())],
        "text": [str(empty), repr(half)],
    }
