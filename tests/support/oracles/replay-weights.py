"""Writes replay-weights.json: losses, gradients and priorities of ROER's control form on five steps, in float64 PyTorch.

Weights are those of formula.py. Run with torch 2.13: python replay-weights.py
"""
import json
from pathlib import Path

import torch

from actor_critic import A, F, N, cases, draw, hidden, parameters, run, spread, values

gamma, beta, threshold, rate, bound = 0.9, 0.05, 0.6, 0.25, 3.0
before, after, actions = spread(1, N, F), spread(2, N, F), spread(3, N, A)
# far enough that the noise on actions is cut
noise, noise_after = 8 * spread(4, N, A), 1.5 * spread(5, N, A)
rewards, terminal = torch.tensor([1.0, -0.5, 2.0, 0.25, 1.0]), torch.tensor([0.0, 0.0, 1.0, 0.0, 1.0])
old = torch.tensor([1.0, 2.5, 1.5, 1.0, 4.0])

own = parameters({"critic": (F, 1)})
# values of states that differ enough for z on both sides of 0 and of 7
for name, sign in (("critic.0.weight", 10), ("critic.2.weight", -10), ("critic.2.bias", 1)):
    own[name] = (own[name] * sign + (-0.95 if name == "critic.2.bias" else 0)).detach().requires_grad_()
target = {name: (-0.7 * value + 0.05).detach() for name, value in parameters({"critic": (F, 1)}).items()}
V = lambda state: run(own, "critic", state)[:, 0]
with torch.no_grad():
    next_action, next_logp = draw(own, after, noise_after)
    soft = torch.min(*values(target, after, next_action)) - torch.exp(own["temperature.log"])[0] * next_logp
    y = rewards + gamma * (1 - terminal) * soft
    near = (actions + (0.1 * noise).clamp(-0.5, 0.5)).clamp(-1, 1)
    q_near = torch.min(*values(own, before, near))
huber = torch.nn.HuberLoss(reduction="none", delta=threshold)
both = sum((old * 2 * huber(q, y)).mean() for q in values(own, before, actions))
z = (q_near - V(before)) / beta
f7, slope = torch.exp(torch.tensor(7.0)) - 8, torch.exp(torch.tensor(7.0)) - 1
gumbel = torch.where(z <= 7, torch.exp(z.clamp(max=7)) - z - 1, f7 + slope * (z - 7))
scale = torch.exp(z.clamp(max=7)).clamp(min=1).mean().detach()
value = gumbel.mean() / scale
losses = {"weighedSoftValues": both, "softStateValue": value}
with torch.no_grad():
    # a wider temperature, so that the ratios are neither all 1 nor all at the bound
    delta = rewards + gamma * (1 - terminal) * V(after) - V(before)
    e = torch.exp(delta / 1.0).clamp(1, bound)
    e = e / (old * e).mean()
    regularized = torch.maximum(torch.tensor(1.0), (rate * e + 1 - rate) * old)
    errors = torch.stack([(q - y).abs() for q in values(own, before, actions)]).mean(0)
    prioritized = (errors + 1e-3) ** 0.4
Path(__file__).with_suffix(".json").write_text(json.dumps({
    "hidden": hidden, "gamma": gamma, "beta": beta, "threshold": threshold, "rate": rate, "bound": bound, "before": before.tolist(),
    "after": after.tolist(), "actions": actions.tolist(), "noise": noise.tolist(), "noiseAfter": noise_after.tolist(),
    "rewards": rewards.tolist(), "terminal": terminal.tolist(), "old": old.tolist(), "z": z.tolist(),
    "cases": cases(losses, own),
    "regularized": regularized.tolist(), "prioritized": prioritized.tolist(),
}) + "\n")
