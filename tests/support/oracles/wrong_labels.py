"""Writes wrong-labels.json: confident learning by cleanlab, on planted wrong labels.

Run with cleanlab 2.9, numpy 2.4: python wrong_labels.py
"""
import json
import sys
from pathlib import Path

# A file in this folder has the name of a module of the standard library that SciPy imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np
from cleanlab.count import compute_confident_joint, estimate_joint
from cleanlab.filter import find_label_issues

rng = np.random.default_rng(5)
n, k = 300, 3
truth = rng.integers(0, k, n)
logits = rng.normal(size=(n, k))
logits[np.arange(n), truth] += 2.5
probabilities = np.round(np.exp(logits) / np.exp(logits).sum(1, keepdims=True), 6)
flipped = rng.random(n) < 0.1
labels = np.where(flipped, (truth + 1) % k, truth)

counts = compute_confident_joint(labels, probabilities, calibrate=False)
joint = estimate_joint(labels, probabilities, confident_joint=counts)
kinds = {"class": "prune_by_class", "rate": "prune_by_noise_rate", "both": "both"}
found = {ours: np.flatnonzero(find_label_issues(labels, probabilities, filter_by=theirs, n_jobs=1)).tolist() for ours, theirs in kinds.items()}
Path(__file__).with_name("wrong-labels.json").write_text(
    json.dumps({"labels": labels.tolist(), "probabilities": probabilities.ravel().tolist(), "flipped": np.flatnonzero(flipped).tolist(),
                "confidentJoint": counts.tolist(), "joint": joint.tolist(), "found": found}) + "\n"
)
