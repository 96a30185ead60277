"""Writes labelers.json: agreement coefficients and Dawid-Skene estimates of other implementations.

Run with krippendorff 0.9, scikit-learn 1.9, statsmodels 0.15, numpy 2.4: python labelers.py
"""
import json
import sys
from pathlib import Path

# A file in this folder has the name of a module of the standard library that SciPy imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

rng = np.random.default_rng(13)

# Ordered ratings of five labelers with errors, a fifth of them missing.
truth = rng.integers(1, 6, size=60)
ratings = np.clip(truth + rng.choice([-1, 0, 0, 0, 1], size=(5, 60)), 1, 5).astype(float)
ratings[rng.random(ratings.shape) < 0.2] = np.nan
a, b = np.clip(truth + rng.choice([-1, 0, 0, 1], size=(2, 60)), 1, 5)
table = rng.multinomial(6, [0.4, 0.3, 0.2, 0.1], size=25)

# The anaesthetists of Dawid and Skene (1979), table 1: by patient, three ratings of the first, one of each other.
anaesthetists = json.loads(Path(__file__).with_name("anaesthetists.json").read_text())


def em(rows, classes, steps=20000):
    """Plain EM on counts [item, labeler, label], in products of probabilities instead of logarithms."""
    counts = np.zeros((len(rows), 5, classes))
    for i, row in enumerate(rows):
        for at, label in enumerate(row):
            counts[i, max(0, at - 2), label - 1] += 1
    t = counts.sum(1) / counts.sum((1, 2))[:, None]
    for _ in range(steps):
        pi = np.einsum("ij,ikl->kjl", t, counts)
        pi /= pi.sum(2, keepdims=True)
        p = t.mean(0)
        joint = p * np.prod(pi.transpose(1, 0, 2)[None] ** counts[:, None], axis=(2, 3))
        t = joint / joint.sum(1, keepdims=True)
    return {"priors": p.tolist(), "confusion": pi.tolist(), "posteriors": t.tolist(), "logLikelihood": float(np.log(joint.sum(1)).sum())}


out = {
    "ratings": [[None if np.isnan(x) else int(x) for x in row] for row in ratings],
    "alpha": {m: float(krippendorff.alpha(reliability_data=ratings, level_of_measurement=m)) for m in ("nominal", "ordinal", "interval")},
    "a": [str(x) for x in a], "b": [str(x) for x in b],
    "kappa": {w: float(cohen_kappa_score(a, b, labels=[1, 2, 3, 4, 5], weights=None if w == "none" else w)) for w in ("none", "linear", "quadratic")},
    "table": table.tolist(), "fleiss": float(fleiss_kappa(table)),
    "dawidSkene": em(anaesthetists, 4),
}
Path(__file__).with_name("labelers.json").write_text(json.dumps(out) + "\n")
