"""The residual stream of a freshly drawn GPT by theory: no model, no random numbers, no fitted constant.

In a wide layer with independent weights the outputs at two positions are sums of many independent terms. They are
Gaussian, and one number describes each pair of positions: their covariance. It can be followed from block to block
(for networks without attention: Poole et al. (2016); for Transformers: Noci et al. (2022)). Assumed: infinite width,
all tokens different, and attention that weighs every visible position alike. The last is nearly so at the start.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.polynomial.polynomial import polyval

from gpt import INIT_STD
from gpt_config import GPTConfig, require_positive_int, require_scale

LAYER_NORM_EPS = 1e-5  # torch.nn.LayerNorm's default
_HERMITE_TERMS = 12  # up to C = 3072, more terms change the variance by less than one part in ten thousand


def gelu_mean_square(input_std: float) -> float:
    """E[gelu(u)²] for Gaussian u of mean 0 and the given standard deviation, with GPT-2's tanh form of GELU.

    Raises:
        ValueError: input_std is not a finite number of at least 0.
    """
    require_scale("input_std", input_std)
    u, weight = _gauss_points(input_std)
    return float(np.sum(weight * _gelu(u) ** 2))


def stream_covariances(
    config: GPTConfig,
    length: int,
    projection_std: float,
) -> Iterator[np.ndarray]:
    """Covariance between positions after the embeddings and after each of the 2L additions.

    Args:
        config: its L and C are used.
        length: T, the number of positions.
        projection_std: standard deviation of every ``c_proj.weight``; others: 0.02.

    Yields:
        1 + 2L arrays (T, T); the diagonal is the stream's variance at each position.

    Raises:
        ValueError: length is not an integer of at least 1, or projection_std
            not a finite number of at least 0.
    """
    require_positive_int("length", length)
    require_scale("projection_std", projection_std)
    C = config.n_embd
    # Uniform causal attention: row t averages positions 1 to t.
    average = np.tril(np.ones((length, length))) / np.arange(1, length + 1)[:, None]
    # Of q, k, v and of GELU's input: a sum of C products.
    hidden_std = INIT_STD * math.sqrt(C)
    u, weight = _gauss_points(hidden_std)
    hermite = _hermite_functions(u / hidden_std)
    gelu_kernel = [np.sum(weight * _gelu(u) * h) ** 2 for h in hermite]

    covariance = 2 * INIT_STD**2 * np.eye(length)  # wte + wpe
    yield covariance
    for _ in range(config.n_layer):
        values = hidden_std**2 * _correlation(covariance)
        covariance = covariance + C * projection_std**2 * average @ values @ average.T
        yield covariance
        # E[gelu(u) gelu(v)] for correlation r: a power series in r whose
        # coefficients are the squared Hermite coefficients of GELU.
        hidden = polyval(_correlation(covariance), gelu_kernel)
        covariance = covariance + 4 * C * projection_std**2 * hidden
        yield covariance


def stream_variances(config: GPTConfig, length: int, projection_std: float) -> list[float]:
    """Variance of the stream at its 1 + 2L places, averaged over positions; arguments as ``stream_covariances``."""
    return [float(np.trace(k) / length) for k in stream_covariances(config, length, projection_std)]


def _correlation(covariance: np.ndarray) -> np.ndarray:
    """What LayerNorm makes of the stream: every position's variance is brought to 1."""
    std = np.sqrt(np.diag(covariance) + LAYER_NORM_EPS)
    return covariance / np.outer(std, std)


def _gelu(u: np.ndarray) -> np.ndarray:
    return 0.5 * u * (1 + np.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))


def _gauss_points(std: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that integrate a function against a Gaussian of this standard deviation."""
    x, weight = np.polynomial.hermite_e.hermegauss(80)
    return std * x, weight / weight.sum()


def _hermite_functions(x: np.ndarray) -> Iterator[np.ndarray]:
    """The normalized Hermite polynomials of degree 0, 1, ... at x."""
    for degree in range(_HERMITE_TERMS):
        unit = np.eye(_HERMITE_TERMS)[degree]
        yield np.polynomial.hermite_e.hermeval(x, unit) / math.sqrt(math.factorial(degree))
