"""Writes network.json: advantages, loss and gradient of PPO, and targets, loss and gradient of Q-learning, on two pieces of
episodes, in float64 PyTorch with plain loops.

Weights are those of formula.py. Run with torch 2.13: python network.py
"""
import json
from pathlib import Path

import torch

from formula import uniforms, weight

torch.set_default_dtype(torch.float64)
F, A, hidden = 3, 3, [5, 4]
gamma, lam, clip, value_clip, value_weight, entropy_weight = 0.9, 0.8, 0.2, 0.2, 0.5, 0.05
actions = [[2, 0, 1], [1, 1]]
rewards = [[1.0, -0.5, 2.0], [0.25, 1.0]]
after = [0.75, 0.0]
lengths = [len(row) for row in actions]
observed = [(2 * uniforms(7 + r, (n + 1) * F) - 1).reshape(n + 1, F).astype("float32").tolist() for r, n in enumerate(lengths)]
behavior = [[-1.0, -1.5, -0.6], [-1.1, -1.3]]
values = [[0.3, -0.2, 0.1], [0.0, 0.4]]


def network(activation):
    act = torch.tanh if activation == "tanh" else torch.relu
    shapes = {}
    for stack, out in (("actor", A), ("critic", 1)):
        widths = [F, *hidden, out]
        for layer in range(len(widths) - 1):
            shapes[f"{stack}.{layer}.weight"] = (widths[layer], widths[layer + 1])
            shapes[f"{stack}.{layer}.bias"] = (widths[layer + 1],)
    parameters = {
        name: torch.tensor(weight(order, name, shapes[name], False), dtype=torch.float64, requires_grad=True)
        for order, name in enumerate(sorted(shapes))
    }

    def run(stack, x):
        for layer in range(len(hidden) + 1):
            x = x @ parameters[f"{stack}.{layer}.weight"] + parameters[f"{stack}.{layer}.bias"]
            if layer < len(hidden):
                x = act(x)
        return x

    return parameters, run


def credit():
    advantages, returns = [], []
    for r, n in enumerate(lengths):
        own = [0.0] * n
        for t in range(n):
            for later in range(t, n):
                following = values[r][later + 1] if later + 1 < n else after[r]
                own[t] += (gamma * lam) ** (later - t) * (rewards[r][later] + gamma * following - values[r][later])
        advantages.append(own)
        returns.append([a + v for a, v in zip(own, values[r])])
    return advantages, returns


advantages, returns = credit()
flat = torch.tensor(sum(advantages, []))
whitened = (flat - flat.mean()) / (flat.std(unbiased=False) + 1e-8)
cases = {}
for activation in ("tanh", "relu"):
    parameters, run = network(activation)
    steps = [(r, t) for r, n in enumerate(lengths) for t in range(n)]
    loss, logps, found = torch.tensor(0.0), [], []
    for at, (r, t) in enumerate(steps):
        x = torch.tensor(observed[r][t])
        distribution = torch.distributions.Categorical(logits=run("actor", x))
        logp = distribution.log_prob(torch.tensor(actions[r][t]))
        value = run("critic", x)[0]
        ratio = torch.exp(logp - behavior[r][t])
        a, old, target = whitened[at], values[r][t], returns[r][t]
        surrogate = torch.min(ratio * a, torch.clamp(ratio, 1 - clip, 1 + clip) * a)
        kept = old + torch.clamp(value - old, -value_clip, value_clip)
        error = 0.5 * torch.max((value - target) ** 2, (kept - target) ** 2)
        loss = loss + (-surrogate + value_weight * error - entropy_weight * distribution.entropy()) / len(steps)
        logps.append(logp.item())
        found.append(value.item())
    loss.backward()
    cases[activation] = {
        "logp": logps, "values": found, "loss": loss.item(),
        "gradient": {name: p.grad.flatten().tolist() for name, p in parameters.items()},
    }

# Q-learning on the same steps: the first piece was cut off, the second one ended in a terminal state
terminal = [0.0, 1.0]
for double in (False, True):
    for loss_of in ("squared", "huber"):
        parameters, run = network("relu")
        shrunk, target_of = network("relu")
        with torch.no_grad():
            for name in shrunk:
                shrunk[name].mul_(-0.7).add_(0.05)
        targets, errors = [], []
        for r, n in enumerate(lengths):
            for t in range(n):
                after_step = torch.tensor(observed[r][t + 1])
                with torch.no_grad():
                    values_after = target_of("actor", after_step)
                    best = run("actor", after_step).argmax() if double else values_after.argmax()
                    ends = terminal[r] if t == n - 1 else 0.0
                    target = rewards[r][t] + gamma * (1 - ends) * values_after[best]
                value = run("actor", torch.tensor(observed[r][t]))[actions[r][t]]
                targets.append(target.item())
                errors.append(torch.nn.functional.smooth_l1_loss(value, target) if loss_of == "huber" else (value - target) ** 2)
        loss = sum(errors) / len(errors)
        loss.backward()
        cases["double " * double + loss_of] = {
            "double": double, "of": loss_of, "targets": targets, "loss": loss.item(),
            "gradient": {name: p.grad.flatten().tolist() for name, p in parameters.items() if name.startswith("actor")},
        }
Path(__file__).with_suffix(".json").write_text(json.dumps({
    "hidden": hidden, "gamma": gamma, "lambda": lam, "clip": clip, "valueClip": value_clip, "valueWeight": value_weight,
    "entropyWeight": entropy_weight, "actions": actions, "rewards": rewards, "after": after, "observed": observed,
    "behaviorLogp": behavior, "values": values, "advantages": advantages, "returns": returns, "cases": cases,
    "terminal": terminal,
}) + "\n")
