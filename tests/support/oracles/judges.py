"""Writes judges.json: losses and gradients of reward models with rows in threes, from their formulas in float64 PyTorch.

The outputs of the head, and the states behind it, are free variables. Run with torch 2.13: python judges.py
"""
import json
import sys
from pathlib import Path

# A file next to this one has the name of a module of the standard library that PyTorch imports.
sys.path = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

import torch
from torch.distributions import Normal, kl_divergence

torch.set_default_dtype(torch.float64)
bce = torch.nn.functional.binary_cross_entropy_with_logits
latents, beta, weight = 2, 0.3, 0.7
agreement = torch.tensor([1.0, 0.5])  # the second pair is a tie
noise = torch.tensor([[0.4, -1.1], [0.9, 0.2]])
# two pairs of three rows; labels of the head, or a score and a state of three numbers
outputs = torch.sin(1.3 * torch.arange(30)).reshape(6, 5) * torch.tensor([1.0, 0.8, 1.4, 0.5, 2.0])
states = torch.cos(0.9 * torch.arange(24)).reshape(6, 4) + torch.tensor([0.0, 0.3, -0.2, 0.6])


def case(loss_of, variable):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.flatten().tolist()}


def latent(x):
    """VPL: rows 0 and 3 are the users' comparisons, with mean and log-variance + 8; the reward is linear in the latent."""
    total = 0
    for p in range(2):
        user, chosen, rejected = x[3 * p], x[3 * p + 1], x[3 * p + 2]
        posterior = Normal(user[1:3], torch.exp((user[3:5] - 8) / 2))
        z = posterior.loc + posterior.scale * noise[p]
        reward = lambda row: row[0] + torch.dot(z, row[1:3])
        divergence = kl_divergence(posterior, Normal(torch.zeros(2), torch.ones(2))).sum()
        total = total + bce(reward(chosen) - reward(rejected), agreement[p]) + beta * divergence
    return total / 2


def goal(x):
    """Rows of a pair: chosen, rejected, the beginning of the chosen one; label 0 is the score, the rest the state."""
    cosine = torch.nn.functional.cosine_similarity
    total = 0
    for p in range(2):
        chosen, rejected, partial = x[3 * p], x[3 * p + 1], x[3 * p + 2]
        near, far = cosine(partial[1:], chosen[1:], dim=0), cosine(partial[1:], rejected[1:], dim=0)
        contrast = bce(near, torch.ones(())) + bce(far, torch.zeros(()))
        total = total + bce(chosen[0] - rejected[0], agreement[p]) + weight * (2 * agreement[p] - 1) * contrast
    return total / 2


Path(__file__).with_name("judges.json").write_text(json.dumps({
    "lengths": [3, 4, 4, 2, 5, 4], "latents": latents, "beta": beta, "weight": weight, "agreement": agreement.tolist(), "noise": noise.tolist(),
    "outputs": outputs.tolist(), "states": states.tolist(), "cases": {"latentPreference": case(latent, outputs), "goalContrast": case(goal, states)},
}) + "\n")
