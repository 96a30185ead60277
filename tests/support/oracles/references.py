"""Writes references.json: divergences from a teacher and from snapshots on one small fixed batch, in float64 PyTorch.

Two groups of two answers; the policy's log-probabilities are free variables. Run with torch 2.13: python references.py
"""
import json
from pathlib import Path

import torch

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4]
rows, longest = len(lengths), max(lengths)
mask = torch.tensor([[1.0 if t < m else 0.0 for t in range(longest)] for m in lengths])
logp = (-torch.rand(rows, longest) * 2 - 0.1) * mask
other = (logp + 0.4 * torch.randn(rows, longest)) * mask
share = torch.tensor([0.5, 0.0, 0.25, 2.0])
steps = mask.sum(1)


def case(loss_of):
    x = logp.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


def k2(x):
    return (x - other) ** 2 / 2


def k3(x):
    d = x - other
    return torch.exp(-d) - 1 + d


averages = {
    "sequence": lambda terms: ((terms * mask).sum(1) / steps).mean(),
    "token": lambda terms: (terms * mask).sum() / mask.sum(),
    "constant": lambda terms: (terms * mask).sum() / (rows * longest),
}
cases = {}
for name, average in averages.items():
    cases[f"klTo/k3/{name}"] = case(lambda x: average(k3(x)))
    cases[f"distillFrom/k2/{name}"] = case(lambda x: average(k2(x) * share[:, None]))
Path(__file__).with_name("references.json").write_text(json.dumps({
    "lengths": lengths, "logp": logp.tolist(), "other": other.tolist(), "share": share.tolist(), "cases": cases,
}) + "\n")
