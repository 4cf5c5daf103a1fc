"""`tf.distributions`: what is drawn at random, with densities, means and divergences.

distribution.py      `Distribution`, from which all derive
kullback_leibler.py  divergences, by classes
scalars.py           normal, Laplace, uniform, Student's t
gammas.py            gamma, exponential, beta
choices.py           Bernoulli, categorical
vectors.py           multinomial, Dirichlet, both
normal_vectors.py    vectors of normal numbers (`tf.contrib.distributions`)
util.py              what several share
"""

from tinytf.distributions.choices import Bernoulli, Categorical
from tinytf.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tinytf.distributions.gammas import Beta, Exponential, Gamma
from tinytf.distributions.kullback_leibler import RegisterKL, kl_divergence
from tinytf.distributions.scalars import Laplace, Normal, StudentT, Uniform
from tinytf.distributions.vectors import Dirichlet, DirichletMultinomial, Multinomial

__all__ = ["FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED", "Bernoulli", "Beta", "Categorical"]
__all__ += ["Dirichlet", "DirichletMultinomial", "Distribution", "Exponential", "Gamma", "Laplace"]
__all__ += ["Multinomial", "Normal", "RegisterKL", "ReparameterizationType", "StudentT", "Uniform"]
__all__ += ["kl_divergence"]
