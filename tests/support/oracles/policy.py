"""Writes policy.json: losses and gradients of the policy-gradient objectives on one small fixed batch, from their papers' formulas in float64 PyTorch.

Two groups of three answers of unequal length; the model's log-probabilities (or values, or mean log-probabilities) are free variables here.
Run with torch 2.13: python policy.py
"""
import json
from pathlib import Path

import torch

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4, 1, 5]
n, longest = 3, max(lengths)
rows = len(lengths)
mask = torch.tensor([[1.0 if t < m else 0.0 for t in range(longest)] for m in lengths])
logp = (-torch.rand(rows, longest) * 2 - 0.1) * mask
behavior = (logp + 0.3 * torch.randn(rows, longest)) * mask
reference = (logp + 0.4 * torch.randn(rows, longest)) * mask
mean_now = (-2 - torch.rand(rows, longest)) * mask
mean_old = (mean_now + 0.2 * torch.randn(rows, longest)) * mask
old_values = torch.randn(rows, longest) * 0.5 * mask
returns = torch.randn(rows, longest) * 0.5 * mask
advantage = torch.tensor([1.2, -0.7, 0.4, -0.9, 0.6, -0.2])
reward = torch.tensor([1.0, 0.0, 0.5, 0.0, 1.0, 0.25])
steps = mask.sum(1)


def case(loss_of, variable=logp):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


def tokens(terms):
    return (terms * mask).sum() / mask.sum()


def gspo(x, low, high):
    s = torch.exp(((x - behavior) * mask).sum(1) / steps)
    return -torch.minimum(s * advantage, s.clamp(1 - low, 1 + high) * advantage).mean()


def cispo(x, high):
    weight = torch.exp(x - behavior).clamp(max=1 + high).detach()
    return -tokens(weight * advantage[:, None] * x)


def nft(x, epsilon, weight=lambda p: torch.sqrt((1 - p) / p)):
    """Token by token, with a straight-through bound, as the paper's objective is written."""
    total = 0.0
    for g in range(rows // n):
        own = reward[g * n:(g + 1) * n]
        p = own.mean()
        omega = weight(p)
        for i in range(g * n, (g + 1) * n):
            for t in range(lengths[i]):
                ratio = torch.exp(x[i, t] - behavior[i, t])
                left = (1 - p * ratio) / (1 - p)
                bounded = torch.clamp(left, min=epsilon).detach() - left.detach() + left
                total = total - omega * (reward[i] * torch.log(ratio) + (1 - reward[i]) * torch.log(bounded))
    return total / mask.sum()


def copg(x, beta):
    """Mean over groups and over pairs of a group."""
    regularized = reward - beta * ((x - reference) * mask).sum(1)
    pairs = [0.5 * (regularized[i] - regularized[j]) ** 2 for g in range(rows // n) for i in range(g * n, g * n + n) for j in range(i + 1, g * n + n)]
    return torch.stack(pairs).mean()


def pacs(x, beta):
    score = (beta * (x - behavior) * mask).sum(1)
    f = torch.nn.functional.logsigmoid
    total = 0.0
    for g in range(rows // n):
        own = range(g * n, (g + 1) * n)
        p = reward[g * n:(g + 1) * n].mean()
        for i in own:
            psi = score[i] - sum(score[j] for j in own if j != i) / (n - 1)
            total = total - reward[i] / (2 * p) * f(psi) - (1 - reward[i]) / (2 * (1 - p)) * f(-psi)
    return total / rows


def rover(x, rho):
    total = 0.0
    for i in range(rows):
        for t in range(lengths[i]):
            later = rho * (mean_now[i, t + 1] - mean_old[i, t + 1]) if t + 1 < lengths[i] else 0.0
            total = total + (rho * (x[i, t] - behavior[i, t]) - (advantage[i] + later)) ** 2
    return total / mask.sum()


def oreo(x, beta):
    """The critic's values are fixed, and so are the log-ratios after the token."""
    total = 0.0
    for i in range(rows):
        gained = x[i] - reference[i]
        for t in range(lengths[i]):
            later = gained[t + 1:lengths[i]].detach().sum()
            total = total + (old_values[i, t] + beta * gained[t] + beta * later - reward[i]) ** 2
    return total / mask.sum()


def surrogate_by_constant(x, low, high):
    ratio = torch.exp(x - behavior)
    a = advantage[:, None]
    terms = -torch.minimum(ratio * a, ratio.clamp(1 - low, 1 + high) * a)
    return (terms * mask).sum() / (rows * longest)


def by_answer(terms):
    return ((terms * mask).sum(1) / steps).mean()


def k3_by_constant(x):
    d = x - reference
    return ((torch.exp(-d) - 1 + d) * mask).sum() / (rows * longest)


def clipped_value(v, clip):
    kept = old_values + (v - old_values).clamp(-clip, clip)
    return 0.5 * tokens(torch.maximum((v - returns) ** 2, (kept - returns) ** 2))


cases = {
    "scoreFunction": case(lambda x: -(advantage * (x * mask).sum(1)).mean()),
    "sequenceSurrogate": case(lambda x: gspo(x, 0.05, 0.1)),
    "truncatedWeights": case(lambda x: cispo(x, 0.2)),
    "negativeAware/1": case(lambda x: nft(x, 1.0)),
    "negativeAware/0.1": case(lambda x: nft(x, 0.1)),
    "contrastive": case(lambda x: copg(x, 0.3)),
    "coupledClassifier": case(lambda x: pacs(x, 0.7)),
    "uniformValuation": case(lambda x: rover(x, 0.8)),
    "softBellman": case(lambda x: oreo(x, 0.3)),
    "klToReference/k1": case(lambda x: by_answer(x - reference)),
    "klToReference/k2": case(lambda x: by_answer((x - reference) ** 2 / 2)),
    "klToReference/k3/constant": case(k3_by_constant),
    "clippedSurrogate/constant": case(lambda x: surrogate_by_constant(x, 0.2, 0.28)),
    "valueRegression": case(lambda v: tokens((v - returns) ** 2)),
    "entropyBonus": case(lambda h: -tokens(h)),
    "negativeAware/dr-grpo": case(lambda x: nft(x, 1.0, lambda p: 1 - p)),
    "negativeAware/even": case(lambda x: nft(x, 1.0, lambda p: torch.ones(()))),
    "clippedValue": case(lambda v: clipped_value(v, 0.2), logp),
}
Path(__file__).with_name("policy.json").write_text(json.dumps({
    "lengths": lengths, "size": n, "logp": logp.tolist(), "behaviorLogp": behavior.tolist(), "referenceLogp": reference.tolist(), "meanNow": mean_now.tolist(),
    "meanOld": mean_old.tolist(), "values": old_values.tolist(), "returns": returns.tolist(), "advantage": advantage.tolist(), "reward": reward.tolist(), "cases": cases,
}) + "\n")
