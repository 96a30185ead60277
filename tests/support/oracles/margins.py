"""Writes margins.json: temperatures of planted margins, intervals and tests of rates, corrections for many.

Run with SciPy 1.17, statsmodels 0.15, numpy 2.4: python margins.py
"""
import json
import sys
from pathlib import Path

# A file in this folder has the name of a module of the standard library that SciPy imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import chi2_contingency, norm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

rng = np.random.default_rng(5)


def temperature(planted, n):
    """Margins of a model that is too sure by the planted factor; T by Brent's method on log T."""
    truth = rng.normal(0.5, 1.5, size=n)
    right = rng.random(n) < expit(truth)
    odds = np.round(np.where(right, 1, -1) * truth * planted, 6)
    found = minimize_scalar(lambda t: np.logaddexp(0, -odds / np.exp(t)).mean(), bracket=(-1, 1), tol=1e-12)
    return dict(planted=planted, odds=odds.tolist(), temperature=float(np.exp(found.x)), nll=float(found.fun))


ps = [0.01, 0.04, 0.03, 0.005, 0.5, 0.03]
rates = [(37, 50), (3, 12), (200, 201), (0, 30)]
table = [[37, 13], [120, 30]]
Path(__file__).with_name("margins.json").write_text(
    json.dumps(
        dict(
            temperatures=[temperature(0.4, 300), temperature(1, 300), temperature(2.5, 300)],
            quantiles=[[p, float(norm.ppf(p))] for p in [1e-6, 0.001, 0.025, 0.3, 0.5, 0.9, 0.975, 1 - 0.05 / 40]],
            holm=dict(ps=ps, corrected=multipletests(ps, method="holm")[1].tolist()),
            wilson=[
                dict(successes=k, n=n, family=m, interval=list(map(float, proportion_confint(k, n, 0.05 / m, "wilson"))))
                for k, n in rates
                for m in [1, 7]
            ],
            table=dict(counts=table, p=float(chi2_contingency(table, correction=False).pvalue)),
        ),
        indent=1,
    )
    + "\n"
)
