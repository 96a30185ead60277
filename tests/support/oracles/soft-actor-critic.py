"""Writes soft-actor-critic.json: densities, losses and gradient of a soft actor-critic on five steps, in float64 PyTorch with
`torch.distributions` in place of formulas.

Weights are those of formula.py. Run with torch 2.13: python soft-actor-critic.py
"""
import json
from pathlib import Path

import torch

from actor_critic import A, F, N, cases, draw, hidden, parameters, spread, values

gamma, per_number = 0.9, -0.75
before, after, actions = spread(1, N, F), spread(2, N, F), spread(3, N, A)
noise, noise_after = 1.5 * spread(4, N, A), 1.5 * spread(5, N, A)
rewards, terminal = [1.0, -0.5, 2.0, 0.25, 1.0], [0.0, 0.0, 1.0, 0.0, 1.0]

own = parameters()
target = {name: (-0.7 * value + 0.05).detach() for name, value in parameters().items()}
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
Path(__file__).with_suffix(".json").write_text(json.dumps({
    "hidden": hidden, "gamma": gamma, "perNumber": per_number, "before": before.tolist(), "after": after.tolist(),
    "actions": actions.tolist(), "noise": noise.tolist(), "noiseAfter": noise_after.tolist(), "rewards": rewards, "terminal": terminal,
    "drawn": action.tolist(), "logp": logp.tolist(), "cases": cases(losses, own),
}) + "\n")
