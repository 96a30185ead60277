"""Writes objectives.json: losses and gradients of the objectives on one small fixed batch, from their formulas in float64 PyTorch.

Rows are answers of unequal length; log-probabilities are free variables here, so each gradient is d loss / d logp.
Run with torch 2.13: python objectives.py
"""
import json
from pathlib import Path

import torch

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4]
longest = max(lengths)
mask = torch.tensor([[1.0 if t < n else 0.0 for t in range(longest)] for n in lengths])
logp = (-torch.rand(4, longest) * 2 - 0.1) * mask
behavior = (logp + 0.3 * torch.randn(4, longest)) * mask
reference = (logp + 0.4 * torch.randn(4, longest)) * mask
advantage = torch.tensor([1.2, -0.7, 0.4, -0.9])
score = torch.tensor([0.8, -0.3, 1.5, 1.1])


def case(loss_of, variable=logp):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


def averaged(terms, how):
    if how == "sequence":
        return ((terms * mask).sum(1) / mask.sum(1)).mean()
    if how == "token":
        return (terms * mask).sum() / mask.sum()
    raise ValueError(how)


def surrogate(x, low, high, how):
    ratio = torch.exp(x - behavior)
    a = advantage[:, None]
    return averaged(-torch.minimum(ratio * a, ratio.clamp(1 - low, 1 + high) * a), how)


def k3(x, how):
    d = reference - x
    return averaged(torch.exp(d) - d - 1, how)


def dpo(x, beta, smoothing):
    margin = ((x - reference) * mask).sum(1)
    m = beta * (margin[0::2] - margin[1::2])
    f = torch.nn.functional.logsigmoid
    return (-(1 - smoothing) * f(m) - smoothing * f(-m)).mean()


cases = {
    "likelihood/token": case(lambda x: averaged(-x, "token")),
    "likelihood/sequence": case(lambda x: averaged(-x, "sequence")),
    "clippedSurrogate/sequence": case(lambda x: surrogate(x, 0.2, 0.2, "sequence")),
    "clippedSurrogate/token/high": case(lambda x: surrogate(x, 0.2, 0.28, "token")),
    "klToReference/k3/sequence": case(lambda x: k3(x, "sequence")),
    "klToReference/k3/token": case(lambda x: k3(x, "token")),
    "logisticMargin/0.1": case(lambda x: dpo(x, 0.1, 0.0)),
    "logisticMargin/0.5/smoothing 0.1": case(lambda x: dpo(x, 0.5, 0.1)),
    "bradleyTerry": case(lambda s: -torch.nn.functional.logsigmoid(s[0::2] - s[1::2]).mean(), score),
}
Path(__file__).with_name("objectives.json").write_text(json.dumps({
    "lengths": lengths, "logp": logp.tolist(), "behaviorLogp": behavior.tolist(), "referenceLogp": reference.tolist(),
    "advantage": advantage.tolist(), "score": score.tolist(), "cases": cases,
}) + "\n")
