"""Writes variants.json: losses and gradients of objectives over whole distributions, stale rows and critics, from their papers' formulas in float64 PyTorch.

Six answers of unequal length over a vocabulary of seven; the logits (or a head's outputs) are free variables here.
Run with torch 2.13: python variants.py
"""
import json
import math
from pathlib import Path

import torch
from torch.nn.functional import log_softmax, logsigmoid

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4, 1, 5]
rows, longest, vocabulary = len(lengths), max(lengths), 7
mask = torch.tensor([[1.0 if t < m else 0.0 for t in range(longest)] for m in lengths])
logits = 1.5 * torch.randn(rows, longest, vocabulary)
ids = torch.randint(0, vocabulary, (rows, longest))
outputs = torch.randn(rows, longest)
own = log_softmax(logits, -1).gather(-1, ids[..., None])[..., 0]
behavior = ((own + 0.3 * torch.randn(rows, longest)) * mask).float().double()
proximal = ((own + 0.1 * torch.randn(rows, longest)) * mask).float().double()
reference = ((own + 0.4 * torch.randn(rows, longest)) * mask).float().double()
advantage = torch.tensor([1.2, -0.7, 0.4, -0.9, 0.6, -0.2])
reward = torch.tensor([1.0, 0.0, 0.75, 0.0, 1.0, 0.25])
fresh = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
other = 1.5 * torch.randn(rows, longest, vocabulary)


def case(loss_of, variable=logits):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.flatten().tolist()}


def logp(x):
    return log_softmax(x, -1).gather(-1, ids[..., None])[..., 0]


def tokens(terms):
    return (terms * mask).sum() / mask.sum()


def sequences(terms):
    return ((terms * mask).sum(1) / mask.sum(1)).mean()


def constant(terms):
    return (terms * mask).sum() / (rows * longest)


def soft_q(x, weight, gamma, average=tokens):
    q = x.gather(-1, ids[..., None])[..., 0]
    v = torch.logsumexp(x, -1)
    following = torch.zeros(rows, longest)
    for r in range(rows):
        for t in range(lengths[r] - 1):
            following[r, t] = 1.0
    later = torch.cat([v[:, 1:], torch.zeros(rows, 1)], 1) * following
    return average(v - q + weight * (q - gamma * later) ** 2)


def dead_ends(x, bootstrap, average=tokens):
    q = x.gather(-1, ids[..., None])[..., 0]
    p = torch.sigmoid(q).detach()
    target = torch.zeros(rows, longest)
    for r in range(rows):
        bad = 1.0 if reward[r] < 0.5 else 0.0
        for t in range(lengths[r]):
            later = p[r, t + 1] if t + 1 < lengths[r] else bad
            target[r, t] = bootstrap * later + (1 - bootstrap) * bad
    return average(-(target * logsigmoid(q) + (1 - target) * logsigmoid(-q)))


def lp_reg(x, share, min_p):
    sampled = sorted(behavior[mask == 1].tolist())
    bound = sampled[min(int(share * len(sampled)), len(sampled) - 1)]
    total = 0.0
    for r in range(rows):
        for t in range(lengths[r]):
            p = torch.softmax(x[r, t], -1)
            kept = (p >= min_p * p.max()).double().detach()
            q = (behavior[r, t].exp() / (p * kept).sum()).detach().clamp(1e-6, 1 - 1e-6)
            own_p = p[ids[r, t]]
            if behavior[r, t] < bound and advantage[r] < 0 and kept[ids[r, t]] == 1:
                total = total + q * (q.log() - own_p.log()) + (1 - q) * ((1 - q).log() - (1 - own_p).log())
    return total / mask.sum()


def prdp(x, beta, clip):
    """Half the mean over pairs."""
    moved = (logp(x) - behavior) * mask
    start = ((behavior - reference) * mask).sum(1)
    total = 0.0
    for a in range(0, rows, 2):
        def error(of):
            h = beta * (start + of.sum(1))
            return ((reward[a] - reward[a + 1]) - (h[a] - h[a + 1])) ** 2
        total = total + torch.maximum(error(moved), error(moved.clamp(-clip, clip)))
    return total / rows


def decoupled(x, low, high, cap):
    importance = torch.exp(proximal - behavior).clamp(max=cap)
    ratio = torch.exp((logp(x) - proximal) * mask)
    a = advantage[:, None]
    return -tokens(importance * torch.minimum(ratio * a, ratio.clamp(1 - low, 1 + high) * a))


def gepo(x, beta, equality, n=3):
    h = beta * ((logp(x) - reference) * mask).sum(1)
    total = 0.0
    for g in range(rows // n):
        group = range(g * n, (g + 1) * n)
        right = torch.stack([h[i] for i in group if reward[i] > 0.5])
        wrong = torch.stack([h[i] for i in group if reward[i] <= 0.5])
        spread = right.var(unbiased=False) + wrong.var(unbiased=False)
        total = total - logsigmoid(right.mean() - wrong.mean()) + equality * spread
    return total / (rows // n)


def gumbel(v, beta, cap):
    """Beyond the cap the exponential is continued by its tangent."""
    z = (reward - v[:, 0]) / beta
    tangent = math.exp(cap) * (1 + z - cap)
    return (torch.where(z > cap, tangent, torch.exp(z.clamp(max=cap))) - z - 1).mean()


def k3_previous(x):
    d = (logp(x) - proximal) * mask
    return tokens(torch.exp(-d) - 1 + d)


def divergence(x, kind, average):
    p, q = torch.softmax(x, -1), torch.softmax(other, -1)
    m = (p + q) / 2
    def kl(a, b):
        return (a * (a / b).log()).sum(-1)
    terms = {"reverse": kl(p, q), "forward": kl(q, p), "jensen-shannon": (kl(p, m) + kl(q, m)) / 2}[kind]
    return average(terms)


def constant(terms):
    return (terms * mask).sum() / (rows * longest)


def rehearsed(x, f):
    stored = mask * (1 - fresh)[:, None]
    u = torch.exp((logp(x) - behavior) * mask)
    return (f(u) * stored).sum() / stored.sum()


def js_generator(u):
    return (u * u.log() - (u + 1) * ((u + 1) / 2).log()) / 2


def tempered(x):
    stored = mask * (1 - fresh)[:, None]
    return -(reward[:, None] * logp(x) * stored).sum() / stored.sum()


def mean_score(v):
    mean = (v * mask).sum(1) / mask.sum(1)
    return torch.nn.functional.binary_cross_entropy_with_logits(mean, reward)


cases = {
    **{
        f"exactDivergence/{kind}/{name}": case(lambda x, kind=kind, average=average: divergence(x, kind, average))
        for kind in ("reverse", "forward", "jensen-shannon")
        for name, average in (("sequence", sequences), ("token", tokens), ("constant", constant))
    },
    "rehearsalDivergence/forward": case(lambda x: rehearsed(x, lambda u: -u.log())),
    "rehearsalDivergence/jensen-shannon": case(lambda x: rehearsed(x, js_generator)),
    "temperedReinforce": case(tempered),
    "meanScoreEntropy": case(mean_score, outputs),
    "inverseSoftQ": case(lambda x: soft_q(x, 0.3, 0.9)),
    "inverseSoftQ/sequence": case(lambda x: soft_q(x, 0.1, 1.0, sequences)),
    "deadEnds": case(lambda x: dead_ends(x, 0.5)),
    "deadEnds/sequence": case(lambda x: dead_ends(x, 1.0, sequences)),
    "deadEnds/constant": case(lambda x: dead_ends(x, 0.0, constant)),
    "lowProbability": case(lambda x: lp_reg(x, 0.9, 0.03)),
    "rewardDifferences": case(lambda x: prdp(x, 0.4, 0.15)),
    "decoupledSurrogate": case(lambda x: decoupled(x, 0.1, 0.15, 1.2)),
    "groupPreference": case(lambda x: gepo(x, 0.5, 0.3)),
    "klToPrevious/k3": case(k3_previous),
    "scoreFunction/token": case(lambda x: -tokens(advantage[:, None] * logp(x))),
    "gumbelPromptValue": case(lambda v: gumbel(v, 0.5, 2.0), outputs),
}
Path(__file__).with_name("variants.json").write_text(json.dumps({
    "lengths": lengths, "vocabulary": vocabulary, "logp": own.tolist(), "logits": logits.flatten().tolist(), "ids": ids.tolist(), "outputs": outputs.flatten().tolist(),
    "behaviorLogp": behavior.tolist(), "proximalLogp": proximal.tolist(), "referenceLogp": reference.tolist(), "advantage": advantage.tolist(),
    "otherLogits": other.flatten().tolist(), "fresh": fresh.tolist(),
    "reward": reward.tolist(), "cases": cases,
}) + "\n")
