"""Writes steps.json: losses and gradients of the objectives on steps of answers, and the credit of the steps, in float64 PyTorch, step by step in plain loops.

Four rows: a prompt in front, in one of them a reply of the world between two turns. `mask` 1: written by the model; `end` 1: the last token of a step.
The model's log-probabilities, or a critic's logits, are free variables. Run with torch 2.13: python steps.py
"""
import json
from pathlib import Path

import torch

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
mask = [[0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1], [0, 1], [0, 1, 1, 1]]
end = [[0, 0, 1, 1, 0, 1], [0, 0, 0, 1, 0, 0, 0, 1], [0, 1], [0, 1, 0, 1]]
weight, reward = [1.0, 1.0, 0.5, 2.0], [1.0, 0.25, 0.0, 1.5]
beta, lam = 0.4, 0.7
lengths = [len(row) for row in mask]
rows, longest = len(lengths), max(lengths)
logp = -torch.rand(rows, longest) * 2 - 0.1
behavior = logp + 0.5 * torch.randn(rows, longest)
logits = torch.randn(rows, longest)


def steps(r):
    """Lists of the trained places of each step."""
    found, own = [], []
    for t in range(lengths[r]):
        if mask[r][t]:
            own.append(t)
        if end[r][t]:
            found.append(own)
            own = []
    return found


def right(r):
    return min(1.0, max(0.0, reward[r]))


def credit(r, lam):
    """A_s = sum over l of lam^l times (V_{s+l+1} - V_{s+l}); the value after the last step is what came out."""
    value = [torch.sigmoid(logits[r, own[0]]).item() for own in steps(r)] + [right(r)]
    gain = [b - a for a, b in zip(value, value[1:])]
    return [sum(lam ** (k - s) * gain[k] for k in range(s, len(gain))) for s in range(len(gain))]


total = sum(weight[r] * len(steps(r)) for r in range(rows))


def regression(x):
    loss = 0.0
    for r in range(rows):
        for own, a in zip(steps(r), credit(r, lam)):
            ratio = sum(x[r, t] - behavior[r, t] for t in own)
            loss = loss + weight[r] * 0.5 * (beta * ratio - a) ** 2 / total
    return loss


def value(x):
    loss = 0.0
    for r in range(rows):
        for own in steps(r):
            loss = loss + weight[r] * torch.nn.functional.binary_cross_entropy_with_logits(x[r, own[0]], torch.tensor(right(r))) / total
    return loss


def case(loss_of, at):
    x = at.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


Path(__file__).with_name("steps.json").write_text(json.dumps({
    "lengths": lengths, "mask": mask, "end": end, "weight": weight, "reward": reward, "beta": beta, "lambda": lam, "logp": logp.tolist(),
    "behaviorLogp": behavior.tolist(), "logits": logits.tolist(), "credit": {str(x): [credit(r, x) for r in range(rows)] for x in (0.0, lam, 1.0)},
    "cases": {"advantageRegression": case(regression, logp), "prefixValue": case(value, logits)},
}) + "\n")
