"""Writes ranks.json: percentile ranks of scores with ties, infinities and NaN, by SciPy."""

import json
from pathlib import Path

import numpy
from scipy.stats import rankdata

draw = numpy.random.default_rng(0)
cases = [
    draw.normal(size=12),
    draw.integers(0, 3, size=15).astype(float),
    numpy.array([1.0, numpy.nan, -2.0, 1.0, numpy.inf, -numpy.inf, numpy.nan]),
    numpy.array([4.0]),
    numpy.array([numpy.nan, 7.0]),
    numpy.array([5.0, 5.0, 5.0]),
    numpy.array([0.0, -0.0, 1.0]),
]


def percentiles(values):
    known = ~numpy.isnan(values)
    count = int(known.sum())
    ranks = numpy.full(values.shape, numpy.nan)
    own = rankdata(values[known], method="average")
    ranks[known] = 0.5 if count == 1 else (own - 1) / (count - 1)
    return ranks


def written(values):
    return [None if numpy.isnan(v) else str(v) if numpy.isinf(v) else float(v) for v in values]


rows = [{"values": written(case), "ranks": written(percentiles(case))} for case in cases]
Path(__file__).with_suffix(".json").write_text(json.dumps(rows) + "\n")
