"""Writes verifiers.json: losses and gradients of verifiers and reward heads on one small fixed batch, from their formulas in float64 PyTorch.

Scores and verdicts are free variables here, so each gradient is d loss / d score. Run with torch 2.13: python verifiers.py
"""
import json
import sys
from pathlib import Path

# A file next to this one has the name of a module of the standard library that PyTorch's optimizers import.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import torch

torch.set_default_dtype(torch.float64)
bce = torch.nn.functional.binary_cross_entropy_with_logits
logsigmoid = torch.nn.functional.logsigmoid
score = torch.tensor([0.8, -0.3, 1.5, 1.1])
scores = torch.tensor([[0.8, -0.1], [-0.3, 0.4], [1.5, -1.2], [1.1, 0.2]])
right = torch.tensor([1.0, 0.0, 0.0, 1.0])
verdict = torch.tensor([[0.3, -0.2, 0.9, 0.0, 0.0], [0.1, 1.2, -0.7, 0.4, 0.6], [-0.5, 0.8, 0.0, 0.0, 0.0], [1.0, -1.1, 0.2, 0.5, 0.0]])
step_end = torch.tensor([[0, 1, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0]], dtype=torch.float64)
step_right = torch.tensor([[0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0]], dtype=torch.float64)
targets = torch.tensor([[0.5, 1.0], [0.0, -1.0], [1.0, 0.25], [0.75, 0.0]])
nu = 0.6


def case(loss_of, variable):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.flatten().tolist()}


def davidson(s):
    """Pair 1 is decided for its first row, pair 2 is a tie; strengths are exp(score)."""
    p = torch.exp(s)
    total = lambda i, j: p[i] + p[j] + nu * torch.sqrt(p[i] * p[j])
    won = p[0] / total(0, 1)
    tied = nu * torch.sqrt(p[2] * p[3]) / total(2, 3)
    return -(torch.log(won) + torch.log(tied)) / 2


bootstrap = torch.tensor([[3.0, 1.0], [1.0, 1.0]])  # how often each head sees the prompts 3 and 9


def ensemble(s):
    """Pair 1 (prompt 3) is decided, pair 2 (prompt 9) is a tie; the mean over pairs and heads, each head with its own counts."""
    margin = torch.stack([s[0] - s[1], s[2] - s[3]])
    losses = torch.stack([bce(margin[0], torch.ones(2), reduction="none"), bce(margin[1], torch.full((2,), 0.5), reduction="none")])
    return (bootstrap * losses).mean()


reference = verdict - torch.tensor([[0.0], [0.4], [-0.3], [3.0]])
answer = torch.tensor([[0, 1, 1, 0, 0], [0, 1, 1, 1, 1], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0]], dtype=torch.float64)
advantage = torch.tensor([0.5, 1.5, 0.25, 0.75])


def weighed(x):
    own = (x * answer).sum(1)
    ratio = torch.exp(own - (reference * answer).sum(1)).clamp(0.1, 1.9).detach()
    return -(advantage * ratio * own).mean()


def prompt_value(v):
    first = torch.stack([v[0, 1], v[1, 1], v[2, 1], v[3, 2]])
    return ((first - right) ** 2).mean()


cases = {
    "weighedAnswers": case(weighed, verdict),
    "promptValueError": case(prompt_value, verdict),
    "answerEntropy": case(lambda s: bce(s, right), score),
    "stepEntropy": case(lambda v: (bce(v, step_right, reduction="none") * step_end).sum() / step_end.sum(), verdict),
    "marginEntropy": case(lambda s: -(logsigmoid(s[0] - s[1] - 0.7) + (logsigmoid(s[2] - s[3]) + logsigmoid(s[3] - s[2])) / 2) / 2, score),
    # the first pair is slightly better: a third of the margin
    "marginByStrength": case(lambda s: -(logsigmoid(s[0] - s[1] - 0.7 / 3) + (logsigmoid(s[2] - s[3]) + logsigmoid(s[3] - s[2])) / 2) / 2, score),
    "davidson": case(davidson, score),
    "ensembleEntropy": case(ensemble, scores),
    "attributeError": case(lambda s: ((s - targets) ** 2).mean(), scores),
}


def regression(pairs, width, folds):
    """A fitted linear head on frozen features: the L2 penalty by cross-validation over prompts, all by autograd and L-BFGS."""
    at = torch.arange(2 * pairs * width).reshape(2 * pairs, width)
    features = torch.sin(1.7 * at) * torch.tensor([1.0, 12.0, 0.05, 0.0]) + torch.tensor([0.0, 3.0, -1.0, 7.0])  # different scales; the last is constant
    hidden = torch.tensor([1.2, -0.1, 9.0, 0.0])
    d = features[0::2] - features[1::2]
    n = torch.arange(pairs)
    agreement = torch.where(n % 5 == 4, 0.5, (d @ hidden + 0.9 * torch.cos(3.1 * n) > 0).double())
    weight = 1 + (n % 3) / 2
    prompt = torch.tensor([40, 7, 7, 19, 23, 40, 5, 19, 7, 31, 23, 5, 31, 40])
    root = (d**2).mean(0).sqrt()
    scale = torch.where(root > 0, root, torch.ones(()))
    x = d / scale

    def loss_of(w, keep):
        return (weight[keep] * bce(x[keep] @ w, agreement[keep], reduction="none")).sum()

    def fit(keep, penalty):
        w = torch.zeros(width, requires_grad=True)
        search = torch.optim.LBFGS([w], max_iter=500, tolerance_grad=1e-12, tolerance_change=0, line_search_fn="strong_wolfe")

        def objective():
            search.zero_grad()
            value = loss_of(w, keep) / weight[keep].sum() + penalty / 2 * (w**2).sum()
            value.backward()
            return value

        search.step(objective)
        assert w.grad.abs().max() < 1e-8, w.grad
        return w.detach()

    def right(w, keep):
        margin = x[keep] @ w
        return (weight[keep] * torch.where(margin > 0, agreement[keep], 1 - agreement[keep])).sum()

    order = {value: i % folds for i, value in enumerate(sorted(set(prompt.tolist())))}
    fold = torch.tensor([order[value] for value in prompt.tolist()])
    penalties = [10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
    total, everything = weight.sum(), torch.ones(pairs, dtype=torch.bool)
    heldout = [[(fit(fold != f, c), fold == f) for f in range(folds)] for c in penalties]
    losses = [sum(loss_of(w, keep).item() for w, keep in fits) / total.item() for fits in heldout]
    best = losses.index(min(losses))
    w = fit(everything, penalties[best])
    return {
        "features": features.tolist(), "agreement": agreement.tolist(), "weight": weight.tolist(), "prompt": prompt.tolist(), "folds": folds,
        "head": (w / scale).tolist(), "metrics": {
            "loss": (loss_of(w, everything) / total).item(), "rewards/accuracies": (right(w, everything) / total).item(),
            "crossvalidation/penalty": penalties[best], "crossvalidation/loss": losses[best],
            "crossvalidation/accuracy": (sum(right(v, keep) for v, keep in heldout[best]) / total).item(),
        },
    }


Path(__file__).with_name("verifiers.json").write_text(json.dumps({
    "lengths": [3, 5, 2, 4], "score": score.tolist(), "scores": scores.tolist(), "right": right.tolist(), "verdict": verdict.tolist(),
    "stepEnd": step_end.tolist(), "stepRight": step_right.tolist(), "targets": targets.tolist(), "nu": nu, "bootstrap": bootstrap.tolist(), "reference": reference.tolist(), "answer": answer.tolist(), "advantage": advantage.tolist(), "cases": cases,
    "regression": regression(14, 4, 3),
}) + "\n")
