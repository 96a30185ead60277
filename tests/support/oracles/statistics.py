"""Writes statistics.json: values of SciPy and NumPy for the statistics of engine/evaluate, on small fixed data.

Run with scipy 1.17, numpy 2.4: python statistics.py
"""
import json
import sys
from pathlib import Path

# This file has the name of a module of the standard library that SciPy imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np
from scipy import integrate, optimize, special, stats

rng = np.random.default_rng(7)
x = np.round(rng.normal(size=40), 2)
y = np.round(0.6 * x + rng.normal(size=40), 1)  # rounded, so some are equal
positive = (y + rng.normal(size=40)) > 0.3

wins = rng.integers(1, 30, size=(6, 6))
np.fill_diagonal(wins, 0)


def loss(free):
    ability = np.concatenate([[0.0], free])
    return sum(wins[i, j] * np.logaddexp(0, ability[j] - ability[i]) for i in range(6) for j in range(6) if i != j)


fit = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-10})
saturated = sum(special.xlogy(wins[i, j], wins[i, j] / (wins[i, j] + wins[j, i])) for i in range(6) for j in range(6) if i != j)


def expected_maximum(n):
    return integrate.quad(lambda t: t * n * stats.norm.pdf(t) * stats.norm.cdf(t) ** (n - 1), -12, 12, epsabs=1e-13, epsrel=1e-13)[0]


line = stats.linregress(x, y)
out = {
    "x": x.tolist(), "y": y.tolist(), "positive": positive.tolist(),
    "pearson": float(stats.pearsonr(x, y).statistic),
    "spearman": float(stats.spearmanr(x, y).statistic),
    "auc": float(stats.mannwhitneyu(y[positive], y[~positive]).statistic / (positive.sum() * (~positive).sum())),
    "line": {"intercept": float(line.intercept), "slope": float(line.slope)},
    "quantiles": {str(q): float(np.quantile(x, q)) for q in (0, 0.025, 0.1, 0.5, 0.77, 1)},
    "variance": {"sample": float(np.var(x, ddof=1)), "population": float(np.var(x))},
    "wilson": [
        {"k": k, "n": n, "interval": [float(v) for v in stats.binomtest(k, n).proportion_ci(0.95, method="wilson")]}
        for k, n in [(0, 5), (1, 7), (8, 10), (250, 500), (499, 500), (3, 3)]
    ],
    "normalCdf": {str(t): float(stats.norm.cdf(t)) for t in (-6.0, -2.5, -0.3, 0.7, 1.5, 4.0, 7.0)},
    "expectedMaximum": {str(n): expected_maximum(n) for n in (2, 3, 5, 10, 33, 100, 1000)},
    "majorityVote": [{"n": n, "p": p, "value": float(stats.binom.sf(n // 2, n, p))} for n, p in [(7, 0.55), (31, 0.4), (101, 0.52)]],
    "bradleyTerry": {"wins": wins.tolist(), "abilities": [0.0, *map(float, fit.x)], "deviance": float(2 * (saturated + fit.fun))},
}
Path(__file__).with_name("statistics.json").write_text(json.dumps(out, indent=1) + "\n")
