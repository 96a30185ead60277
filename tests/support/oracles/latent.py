"""Writes latent.json: loss and gradient of targeted latent adversarial training on one small fixed batch, in float64 PyTorch.

Two pairs, the chosen row first, with prompts of two tokens. The "model" adds tanh of the sum of earlier shifts, times a
fixed matrix, to logits that are free variables. Run with torch 2.13: python latent.py
"""
import json
from pathlib import Path

import torch
from torch.nn.functional import log_softmax

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
prompts, lengths = [2, 2, 3, 3], [4, 5, 4, 5]
rows, longest, vocabulary, width = 4, 5, 6, 3
mask = torch.tensor([[1.0 if p <= t < n else 0.0 for t in range(longest)] for p, n in zip(prompts, lengths)])
prompt = torch.tensor([[1.0 if t < p else 0.0 for t in range(longest)] for p in prompts])
logits = 1.2 * torch.randn(rows, longest, vocabulary)
table = torch.randn(width, vocabulary)
ids = torch.randint(0, vocabulary, (rows, longest))
share = mask / mask.sum(1, keepdim=True)


def logp(x, shift):
    earlier = torch.cumsum(shift, 1) - shift
    moved = x + torch.tanh(earlier) @ table
    return log_softmax(moved, -1).gather(-1, ids[..., None])[..., 0]


def towards(lp, good, away):
    likely = -(share * lp).sum(1)
    unlikely = -(share * torch.log((1 - lp.exp()).clamp(min=1e-6))).sum(1)
    return likely[good::2] + away * unlikely[1 - good::2]


def lat(x, steps, size, radius, away):
    shift = torch.zeros(rows // 2, longest, width)
    for _ in range(steps):
        moving = shift.clone().requires_grad_(True)
        attack = towards(logp(x.detach(), moving.repeat_interleave(2, 0)), 1, away).sum()
        (slope,) = torch.autograd.grad(attack, moving)
        direction = slope / (slope.norm(dim=-1, keepdim=True) + 1e-8)
        moved = shift - size * direction * prompt[::2, :, None]
        shift = moved * (radius / moved.norm(dim=-1, keepdim=True).clamp(min=1e-16)).clamp(max=1)
    return towards(logp(x, shift.repeat_interleave(2, 0)), 0, away).mean()


def case(loss_of):
    x = logits.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.flatten().tolist()}


cases = {f"latentAdversary/{steps}": case(lambda x: lat(x, steps, 0.3, 0.7, 0.8)) for steps in (4, 0)}
Path(__file__).with_name("latent.json").write_text(json.dumps({
    "lengths": lengths, "prompts": prompts, "vocabulary": vocabulary, "width": width, "logits": logits.flatten().tolist(),
    "table": table.flatten().tolist(), "ids": ids.tolist(), "logp": logp(logits, torch.zeros(rows, longest, width)).tolist(), "cases": cases,
}) + "\n")
