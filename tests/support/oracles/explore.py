"""Writes explore.json: of networks that explore, log-probabilities, values, features, loss and gradient, and the credit for
bonuses, on two pieces of episodes, in float64 PyTorch with plain loops.

Weights are those of formula.py; rows, advantages and returns those of network.json. Run with torch 2.13: python explore.py
"""
import json
from pathlib import Path

import torch

from formula import uniforms, weight

torch.set_default_dtype(torch.float64)
rows = json.loads(Path(__file__).with_name("network.json").read_text())
F, A, D = 3, 3, 16
hidden = rows["hidden"]
clip, value_clip, value_weight, entropy_weight = (rows[name] for name in ("clip", "valueClip", "valueWeight", "entropyWeight"))
lengths = [len(row) for row in rows["actions"]]
steps = [(r, t) for r, n in enumerate(lengths) for t in range(n)]
sizes = {"latent": D, "novelty": 0, "noisy": hidden[-2] + hidden[-1]}
latents = {kind: [(2 * uniforms(40 + r, size) - 1).astype("float32").tolist() for r in range(2)] for kind, size in sizes.items()}
bonus_gamma, earned_weight, bonus_weight = 0.7, 1.5, 0.25


def shapes_of(kind):
    reads = F + D if kind == "latent" else F
    stacks = {"actor": (reads, A), "critic": (reads, 1 if kind == "noisy" else 2)}
    if kind == "novelty":
        stacks["predictor"] = (F, hidden[-1])
    shapes = {}
    for stack, (first, last) in stacks.items():
        widths = [first, *hidden, last]
        for layer in range(len(widths) - 1):
            shapes[f"{stack}.{layer}.weight"] = (widths[layer], widths[layer + 1])
            shapes[f"{stack}.{layer}.bias"] = (widths[layer + 1],)
    if kind == "noisy":
        shapes["actor.1.noise.weight"] = (hidden[0], hidden[1])
        shapes["actor.1.noise.bias"] = (hidden[1],)
    return shapes


def network(kind):
    shapes = shapes_of(kind)
    return {
        name: torch.tensor(weight(order, name, shapes[name], False), dtype=torch.float64, requires_grad=True)
        for order, name in enumerate(sorted(shapes))
    }


def trunk(p, stack, x):
    for layer in range(len(hidden)):
        x = torch.tanh(x @ p[f"{stack}.{layer}.weight"] + p[f"{stack}.{layer}.bias"])
    return x


def end(p, stack, x):
    return x @ p[f"{stack}.{len(hidden)}.weight"] + p[f"{stack}.{len(hidden)}.bias"]


def noisy(p, x, noise):
    """Weights are drawn whole: mean + deviation times the outer product of the noise of inputs and of outputs."""
    inward, outward = noise[: hidden[0]], noise[hidden[0] :]
    x = torch.tanh(x @ p["actor.0.weight"] + p["actor.0.bias"])
    matrix = p["actor.1.weight"] + p["actor.1.noise.weight"] * torch.outer(inward, outward)
    return torch.tanh(x @ matrix + p["actor.1.bias"] + p["actor.1.noise.bias"] * outward)


def seen(r, t):
    return torch.tensor(rows["observed"][r][t], dtype=torch.float64)


def says(kind, p, r, t):
    """Logits, values, features and predictions of the state that is observed after token t."""
    x, latent = seen(r, t), torch.tensor(latents[kind][r], dtype=torch.float64)
    reads = torch.cat([x, latent]) if kind == "latent" else x
    logits = end(p, "actor", noisy(p, x, latent) if kind == "noisy" else trunk(p, "actor", reads))
    plain = torch.cat([x, torch.zeros(D)]) if kind == "latent" else x
    features = trunk(p, "critic", plain)
    predicted = end(p, "predictor", trunk(p, "predictor", x)) if kind == "novelty" else None
    return logits, end(p, "critic", trunk(p, "critic", reads)), features, predicted


advantages = torch.tensor(sum(rows["advantages"], []))
whitened = (advantages - advantages.mean()) / (advantages.std(unbiased=False) + 1e-8)
bonuses = [[0.4, -0.2, 0.1], [0.3, 0.6]]
bonus_returns = [[0.5, 0.1, -0.3], [0.2, 0.7]]
cases = {}
for kind in sizes:
    p = network(kind)
    initial = {name: (-0.7 * x + 0.05).detach() for name, x in network(kind).items()}
    loss, prediction = torch.tensor(0.0), torch.tensor(0.0)
    logps, values, features = [], [], []
    for at, (r, t) in enumerate(steps):
        logits, both, own, _ = says(kind, p, r, t)
        distribution = torch.distributions.Categorical(logits=logits)
        logp = distribution.log_prob(torch.tensor(rows["actions"][r][t]))
        ratio = torch.exp(logp - rows["behaviorLogp"][r][t])
        surrogate = torch.min(ratio * whitened[at], torch.clamp(ratio, 1 - clip, 1 + clip) * whitened[at])
        value, old, target = both[0], rows["values"][r][t], rows["returns"][r][t]
        kept = old + torch.clamp(value - old, -value_clip, value_clip)
        error = 0.5 * torch.max((value - target) ** 2, (kept - target) ** 2)
        if kind != "noisy":
            error = error + 0.5 * (both[1] - bonus_returns[r][t]) ** 2
        loss = loss + (-surrogate + value_weight * error - entropy_weight * distribution.entropy()) / len(steps)
        if kind == "novelty":
            _, _, _, predicted = says(kind, p, r, t + 1)
            with torch.no_grad():
                fixed = says(kind, initial, r, t + 1)[2]
            prediction = prediction + ((predicted - fixed) ** 2).mean() / len(steps)
        logps.append(logp.item())
        values.append(both.tolist())
        features.append(own.tolist())
    (loss + prediction).backward()
    cases[kind] = {
        "logp": logps, "values": values, "features": features, "loss": (loss + prediction).item(),
        "gradient": {name: x.grad.flatten().tolist() for name, x in p.items()},
    }


def bonus_credit(across):
    """The definition: discounted sums of temporal differences up to where the stream of steps ends."""
    scale, sums = None, []
    for row in bonuses:
        total = 0.0
        for each in row:
            total = bonus_gamma * total + each
            sums.append(total)
    scale = torch.tensor(sums).std(unbiased=False).item() + 1e-8
    with torch.no_grad():
        p = network("latent")
        value = [[says("latent", p, r, t)[1][1].item() for t in range(n + 1)] for r, n in enumerate(lengths)]
    # both pieces are of one copy; the first one ends an episode
    streams = [[(0, t) for t in range(3)] + [(1, t) for t in range(2)]] if across else [[(0, t) for t in range(3)], [(1, t) for t in range(2)]]
    own, returns = {}, {}
    for stream in streams:
        for i, step in enumerate(stream):
            total = 0.0
            for j in range(i, len(stream)):
                r, t = stream[j]
                if j + 1 < len(stream):
                    following = value[stream[j + 1][0]][stream[j + 1][1]]
                else:
                    following = 0.0 if (r == 0 and not across) else value[r][t + 1]
                delta = bonuses[r][t] / scale + bonus_gamma * following - value[r][t]
                total += (bonus_gamma * rows["lambda"]) ** (j - i) * delta
            own[step], returns[step] = total, total + value[step[0]][step[1]]
    mixed = [[earned_weight * rows["advantages"][r][t] + bonus_weight * own[r, t] for t in range(n)] for r, n in enumerate(lengths)]
    return {"advantages": mixed, "returns": [[returns[r, t] for t in range(n)] for r, n in enumerate(lengths)]}


Path(__file__).with_suffix(".json").write_text(json.dumps({
    "latents": latents, "bonuses": bonuses, "bonusReturns": bonus_returns, "bonusGamma": bonus_gamma,
    "earnedWeight": earned_weight, "bonusWeight": bonus_weight, "cases": cases,
    "credit": {"piece": bonus_credit(False), "across": bonus_credit(True)},
}) + "\n")
