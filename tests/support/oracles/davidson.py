"""Davidson's model with ties, maximized by scipy on a table of five items; prints the JSON of davidson.json."""

import json

import numpy as np
from scipy import optimize

rng = np.random.default_rng(7)
n = 5
wins = rng.integers(1, 12, (n, n))
np.fill_diagonal(wins, 0)
ties = rng.integers(0, 6, (n, n))
ties = np.triu(ties, 1)
ties = ties + ties.T


def negative(parameters):
    a = np.concatenate([[0.0], parameters[:-1]])
    log_nu = parameters[-1]
    total = 0.0
    for i in range(n):
        for j in range(i):
            logits = np.array([a[i], a[j], log_nu + (a[i] + a[j]) / 2])
            counts = np.array([wins[i, j], wins[j, i], ties[i, j]])
            total -= counts @ (logits - np.logaddexp.reduce(logits))
    return total


found = optimize.minimize(negative, np.zeros(n), method="BFGS", options={"gtol": 1e-10})
step = 1e-4
hessian = np.zeros((n, n))
for k in range(n):
    for m in range(n):
        ek, em = np.eye(n)[k] * step, np.eye(n)[m] * step
        x = found.x
        hessian[k, m] = (
            negative(x + ek + em) - negative(x + ek - em) - negative(x - ek + em) + negative(x - ek - em)
        ) / (4 * step * step)
covariance = np.linalg.inv(hessian)
print(
    json.dumps(
        {
            "wins": wins.tolist(),
            "ties": ties.tolist(),
            "abilities": [0.0, *found.x[:-1].tolist()],
            "nu": float(np.exp(found.x[-1])),
            "standardErrors": [0.0, *np.sqrt(np.diag(covariance)[:-1]).tolist()],
        }
    )
)
