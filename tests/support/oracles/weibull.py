"""Weighted and mixture fits of Weibull distributions by general-purpose optimization, for engine/rl/search.

Writes weibull.json. Needs numpy and scipy.
"""
import json
import pathlib

import numpy as np
from scipy import optimize, stats

rng = np.random.default_rng(7)


def weighted(values, weights):
    def loss(p):
        return -np.sum(weights * stats.weibull_min.logpdf(values, np.exp(p[0]), scale=np.exp(p[1])))

    best = min(
        (optimize.minimize(loss, [a, b], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000})
         for a in (0, 1) for b in (-1, 0)),
        key=lambda found: found.fun,
    )
    return {"shape": float(np.exp(best.x[0])), "scale": float(np.exp(best.x[1]))}


def mixture(values):
    def loss(p):
        share = 1 / (1 + np.exp(-p[4]))
        low = stats.weibull_min.logpdf(values, np.exp(p[0]), scale=np.exp(p[1]))
        high = stats.weibull_min.logpdf(values, np.exp(p[2]), scale=np.exp(p[3]))
        return -np.sum(np.logaddexp(np.log1p(-share) + low, np.log(share) + high))

    best = optimize.minimize(loss, [0, np.log(0.1), 1, np.log(0.6), 0], method="Nelder-Mead",
                             options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 100000, "maxfev": 100000})
    return {"low": {"shape": float(np.exp(best.x[0])), "scale": float(np.exp(best.x[1]))},
            "high": {"shape": float(np.exp(best.x[2])), "scale": float(np.exp(best.x[3]))},
            "share": float(1 / (1 + np.exp(-best.x[4])))}


single = rng.weibull(1.7, 12) * 0.4
weights = rng.uniform(0.1, 1, 12)
both = np.concatenate([rng.weibull(2.0, 60) * 0.08, rng.weibull(6.0, 90) * 0.7])
out = {
    "weighted": {"values": single.tolist(), "weights": weights.tolist(), **weighted(single, weights)},
    "mixture": {"values": both.tolist(), **mixture(both)},
}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
