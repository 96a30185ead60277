"""Writes replay-weights.json: losses, gradients and priorities of ROER's control form on five steps, in float64 PyTorch.

Weights are those of formula.py. Run with torch 2.13: python replay-weights.py
"""
import json
from pathlib import Path

import torch
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from formula import uniforms, weight

torch.set_default_dtype(torch.float64)
F, A, N, hidden = 3, 2, 5, [5, 4]
gamma, beta, threshold, rate, bound = 0.9, 0.05, 0.6, 0.25, 3.0
spread = lambda seed, *shape: torch.tensor((2 * uniforms(seed, int(torch.Size(shape).numel())) - 1).astype("float32")).double().reshape(shape)
before, after, actions = spread(1, N, F), spread(2, N, F), spread(3, N, A)
# far enough that the noise on actions is cut
noise, noise_after = 8 * spread(4, N, A), 1.5 * spread(5, N, A)
rewards, terminal = torch.tensor([1.0, -0.5, 2.0, 0.25, 1.0]), torch.tensor([0.0, 0.0, 1.0, 0.0, 1.0])
old = torch.tensor([1.0, 2.5, 1.5, 1.0, 4.0])


def parameters():
    shapes = {"temperature.log": (1,)}
    for stack, reads, out in (("actor", F, 2 * A), ("critic", F, 1), ("first", F + A, 1), ("second", F + A, 1)):
        widths = [reads, *hidden, out]
        for layer in range(len(widths) - 1):
            shapes[f"{stack}.{layer}.weight"] = (widths[layer], widths[layer + 1])
            shapes[f"{stack}.{layer}.bias"] = (widths[layer + 1],)
    return {name: torch.tensor(weight(order, name, shapes[name], False)).double().requires_grad_() for order, name in enumerate(sorted(shapes))}


def run(p, stack, x):
    for layer in range(len(hidden) + 1):
        x = x @ p[f"{stack}.{layer}.weight"] + p[f"{stack}.{layer}.bias"]
        if layer < len(hidden):
            x = torch.relu(x)
    return x


def draw(p, state, eps):
    mean, raw = run(p, "actor", state).chunk(2, dim=-1)
    deviation = torch.exp(-5 + 0.5 * (2 - -5) * (torch.tanh(raw) + 1))
    policy = Independent(TransformedDistribution(Normal(mean, deviation), [TanhTransform(cache_size=1)]), 1)
    action = policy.base_dist.transforms[0](mean + deviation * eps)
    return action, policy.log_prob(action)


own = parameters()
# values of states that differ enough for z on both sides of 0 and of 7
for name, sign in (("critic.0.weight", 10), ("critic.2.weight", -10), ("critic.2.bias", 1)):
    own[name] = (own[name] * sign + (-0.95 if name == "critic.2.bias" else 0)).detach().requires_grad_()
target = {name: (-0.7 * value + 0.05).detach() for name, value in parameters().items()}
values = lambda p, state, action: [run(p, stack, torch.cat([state, action], -1))[:, 0] for stack in ("first", "second")]
V = lambda state: run(own, "critic", state)[:, 0]
with torch.no_grad():
    next_action, next_logp = draw(own, after, noise_after)
    soft = torch.min(*values(target, after, next_action)) - torch.exp(own["temperature.log"])[0] * next_logp
    y = rewards + gamma * (1 - terminal) * soft
    near = (actions + (0.1 * noise).clamp(-0.5, 0.5)).clamp(-1, 1)
    q_near = torch.min(*values(own, before, near))
huber = torch.nn.HuberLoss(reduction="none", delta=threshold)
critics = sum((old * 2 * huber(q, y)).mean() for q in values(own, before, actions))
z = (q_near - V(before)) / beta
f7, slope = torch.exp(torch.tensor(7.0)) - 8, torch.exp(torch.tensor(7.0)) - 1
gumbel = torch.where(z <= 7, torch.exp(z.clamp(max=7)) - z - 1, f7 + slope * (z - 7))
scale = torch.exp(z.clamp(max=7)).clamp(min=1).mean().detach()
value = gumbel.mean() / scale
losses = {"weighedSoftValues": critics, "softStateValue": value}
cases = {}
for name, loss in losses.items():
    found = torch.autograd.grad(loss, list(own.values()), retain_graph=True, allow_unused=True)
    gradient = {key: (torch.zeros_like(v) if g is None else g).flatten().tolist() for (key, v), g in zip(own.items(), found)}
    cases[name] = {"loss": loss.item(), "gradient": gradient}
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
    "cases": cases,
    "regularized": regularized.tolist(), "prioritized": prioritized.tolist(),
}) + "\n")
