"""Writes attempts.json: losses and gradients of objectives over answers to prompts that show others, in float64 PyTorch.

Five answers of unequal length; their log-probabilities are the free variable.
Run with torch 2.13: python attempts.py
"""
import json
from pathlib import Path

import torch

torch.manual_seed(23)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4, 1]
rows, longest = len(lengths), max(lengths)
mask = torch.tensor([[1.0 if t < m else 0.0 for t in range(longest)] for m in lengths])
logp = -(0.1 + 2.5 * torch.rand(rows, longest)) * mask
logp = logp.float().double()
reference = ((logp + 0.4 * torch.randn(rows, longest)) * mask).float().double()
advantage = torch.tensor([1.2, -0.7, 0.4, -0.9, 0.6])
weight = torch.tensor([1.0, 0.5, 1.0, 2.0, 1.0])
imitate = torch.tensor([0.0, 1.0, 0.0, 0.5, 1.0])
divergence = torch.tensor([0.1, 0.01, 0.1, 0.01, 0.3])


def case(loss_of):
    x = logp.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


def sequences(terms, w):
    return (w * (terms * mask).sum(1) / mask.sum(1)).sum() / w.sum()


def tokens(terms, w):
    return (w[:, None] * terms * mask).sum() / (w[:, None] * mask).sum()


def shaped(x, gamma, average):
    p = torch.exp(x)
    return -average(advantage[:, None] * p / (p + gamma), weight)


def weighed_k3(x):
    d = (x - reference) * mask
    return (weight * divergence * ((torch.exp(-d) - 1 + d) * mask).sum(1)).sum() / weight.sum()


cases = {
    "shapedSurrogate/sequence": case(lambda x: shaped(x, 0.1, sequences)),
    "shapedSurrogate/token": case(lambda x: shaped(x, 0.3, tokens)),
    "shapedSurrogate/constant": case(lambda x: -(weight * (advantage[:, None] * torch.exp(x) / (torch.exp(x) + 0.1) * mask).sum(1)).sum() / weight.sum() / longest),
    "imitation/token": case(lambda x: -tokens(x, imitate)),
    "weighedDivergence/k3": case(weighed_k3),
}
Path(__file__).with_name("attempts.json").write_text(json.dumps({
    "lengths": lengths, "logp": logp.tolist(), "referenceLogp": reference.tolist(), "advantage": advantage.tolist(),
    "weight": weight.tolist(), "imitate": imitate.tolist(), "divergence": divergence.tolist(), "cases": cases,
}) + "\n")
