"""AdamW written out in NumPy."""

from collections.abc import Mapping

import numpy as np

from model.ops.op import Array


class AdamW:
    """Adam with decoupled weight decay (Loshchilov & Hutter 2019), with torch's defaults.

    m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g²; w ← w − η (λ w + m̂ / (√v̂ + ε)), where m̂ and v̂
    are m / (1 − β₁ᵗ) and v / (1 − β₂ᵗ): averages that began at zero, corrected for it.
    """

    def __init__(
        self,
        weights: dict[str, Array],
        *,
        rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        decay: float = 0.01,
    ) -> None:
        self.weights = weights
        self.rate, self.betas, self.epsilon, self.decay = rate, betas, epsilon, decay
        self.steps = 0
        self.means = {key: np.zeros_like(weight) for key, weight in weights.items()}
        self.squares = {key: np.zeros_like(weight) for key, weight in weights.items()}

    def step(self, gradients: Mapping[str, Array]) -> None:
        """Change every weight in place."""
        self.steps += 1
        first, second = self.betas
        for key, weight in self.weights.items():
            mean, square, gradient = self.means[key], self.squares[key], gradients[key]
            mean += (1 - first) * (gradient - mean)
            square += (1 - second) * (gradient * gradient - square)
            deviation = np.sqrt(square / (1 - second**self.steps)) + self.epsilon
            direction = mean / (1 - first**self.steps) / deviation
            weight -= self.rate * (self.decay * weight + direction)
