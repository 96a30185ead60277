"""Writes comparing.json: differences of policies and aggregates over seeds, by rliable, SciPy and statsmodels.

Run with rliable 1.2, arch 7.2, pandas 2, scipy, statsmodels: python comparing.py
"""
import itertools
import json
import sys
from pathlib import Path

# The folder holds a file with the name of a module of the standard library that SciPy imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np
from rliable import library as rly
from rliable import metrics
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(14)


def flips(d):
    """Sign-flip p-value by all 2^n flips."""
    seen = abs(sum(d)) - 1e-9
    sums = [abs(sum(s * x for s, x in zip(signs, d))) for signs in itertools.product([-1, 1], repeat=len(d))]
    return sum(value >= seen for value in sums) / len(sums)


paired = []
for samples, n in [(8, 12), (1, 10), (3, 9), (4, 14)]:
    a = rng.binomial(samples, 0.4, n) / samples
    b = rng.binomial(samples, 0.65, n) / samples
    test = stats.ttest_rel(b, a)
    paired.append({
        "a": a.tolist(), "b": b.tolist(), "flip": flips((b - a).tolist()), "t": float(test.pvalue),
        "interval": [float(v) for v in test.confidence_interval(0.95)],
    })
real = rng.normal(0.3, 1, 25)
scores = {name: rng.beta(shape, 3, size=(runs, 30)).round(3) for name, shape, runs in [("x", 4, 5), ("y", 3, 7)]}


def aggregate(m):
    return np.array([metrics.aggregate_mean(m), metrics.aggregate_median(m), metrics.aggregate_iqm(m), metrics.aggregate_optimality_gap(m)])


point, interval = rly.get_interval_estimates(scores, aggregate, reps=20000, random_state=np.random.RandomState(1))
pairs = {"x,y": (scores["x"], scores["y"])}
better, betterInterval = rly.get_interval_estimates(pairs, metrics.probability_of_improvement, reps=20000, random_state=np.random.RandomState(1))
ps = [0.01, 0.04, 0.03, 0.005, 0.2, 0.04]
out = {
    "paired": paired,
    "real": {"values": real.tolist(), "t": float(stats.ttest_1samp(real, 0).pvalue)},
    "tails": [{"t": t, "df": df, "p": float(2 * stats.t.sf(t, df))} for t, df in [(0, 3), (0.5, 1), (2.1, 2.7), (3, 10), (1.96, 1e4), (12, 40), (40, 5)]],
    "bounds": [{"df": df, "t": float(stats.t.ppf(0.975, df))} for df in (1, 1.5, 2, 9, 199, 10000)],
    "mcnemar": [{"a": a, "b": b, "p": float(stats.binomtest(a, a + b).pvalue) if a + b else 1.0} for a, b in [(0, 0), (0, 5), (3, 9), (40, 61), (500, 500), (700, 900), (1, 0)]],
    "holm": {"ps": ps, "adjusted": multipletests(ps, method="holm")[1].tolist()},
    "scores": {name: m.tolist() for name, m in scores.items()},
    "aggregates": {name: {"point": point[name].tolist(), "interval": interval[name].tolist()} for name in scores},
    "improvement": {"point": float(better["x,y"]), "interval": betterInterval["x,y"].ravel().tolist()},
    "profile": {"thresholds": [0, 0.25, 0.5, 0.75, 1], "x": [float(np.mean(scores["x"] > t)) for t in (0, 0.25, 0.5, 0.75, 1)]},
}
Path(__file__).with_name("comparing.json").write_text(json.dumps(out) + "\n")
