"""Writes soft-actor-critic.json: densities, losses and gradient of a soft actor-critic on five steps, in float64 PyTorch with
`torch.distributions` in place of formulas.

Weights are those of formula.py. Run with torch 2.13: python soft-actor-critic.py
"""
import json
from pathlib import Path

import torch
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from formula import uniforms, weight

torch.set_default_dtype(torch.float64)
F, A, N, hidden = 3, 2, 5, [5, 4]
gamma, per_number = 0.9, -0.75
spread = lambda seed, *shape: torch.tensor((2 * uniforms(seed, int(torch.Size(shape).numel())) - 1).astype("float32")).double().reshape(shape)
before, after, actions = spread(1, N, F), spread(2, N, F), spread(3, N, A)
noise, noise_after = 1.5 * spread(4, N, A), 1.5 * spread(5, N, A)
rewards, terminal = [1.0, -0.5, 2.0, 0.25, 1.0], [0.0, 0.0, 1.0, 0.0, 1.0]


def parameters():
    shapes = {"temperature.log": (1,)}
    for stack, reads, out in (("actor", F, 2 * A), ("first", F + A, 1), ("second", F + A, 1)):
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
    # as rsample does, with given noise
    action = policy.base_dist.transforms[0](mean + deviation * eps)
    return action, policy.log_prob(action)


own = parameters()
target = {name: (-0.7 * value + 0.05).detach() for name, value in parameters().items()}
values = lambda p, state, action: [run(p, stack, torch.cat([state, action], -1))[:, 0] for stack in ("first", "second")]
alpha = torch.exp(own["temperature.log"])[0]
with torch.no_grad():
    next_action, next_logp = draw(own, after, noise_after)
    soft = torch.min(*values(target, after, next_action)) - alpha * next_logp
    y = torch.tensor(rewards) + gamma * (1 - torch.tensor(terminal)) * soft
errors = sum(torch.nn.functional.mse_loss(q, y) for q in values(own, before, actions))
action, logp = draw(own, before, noise)
frozen = {name: value.detach() for name, value in own.items()}
policy = (alpha.detach() * logp - torch.min(*values(frozen, before, action))).mean()
temperature = (-alpha * (logp.detach() + per_number * A)).mean()
losses = {"softValues": errors, "softPolicy": policy, "entropyTarget": temperature}
cases = {}
for name, loss in losses.items():
    found = torch.autograd.grad(loss, list(own.values()), retain_graph=True, allow_unused=True)
    gradient = {key: (torch.zeros_like(value) if g is None else g).flatten().tolist() for (key, value), g in zip(own.items(), found)}
    cases[name] = {"loss": loss.item(), "gradient": gradient}
Path(__file__).with_suffix(".json").write_text(json.dumps({
    "hidden": hidden, "gamma": gamma, "perNumber": per_number, "before": before.tolist(), "after": after.tolist(),
    "actions": actions.tolist(), "noise": noise.tolist(), "noiseAfter": noise_after.tolist(), "rewards": rewards, "terminal": terminal,
    "drawn": action.tolist(), "logp": logp.tolist(), "cases": cases,
}) + "\n")
