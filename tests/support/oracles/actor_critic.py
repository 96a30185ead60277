"""A soft actor-critic in float64 PyTorch with the weights of formula.py, for the scripts beside this one.

`torch.distributions` draws and weighs actions in place of formulas.
"""
import torch
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from formula import uniforms, weight

torch.set_default_dtype(torch.float64)
# observations, numbers of an action, steps, hidden widths
F, A, N, hidden = 3, 2, 5, [5, 4]
critics = {"first": (F + A, 1), "second": (F + A, 1)}


def spread(seed, *shape):
    """Numbers from -1 to 1 that float32 holds exactly."""
    numbers = 2 * uniforms(seed, int(torch.Size(shape).numel())) - 1
    return torch.tensor(numbers.astype("float32")).double().reshape(shape)


def parameters(further={}):
    """Weights of actor and critics, and of further stacks by what they read and end in."""
    shapes = {"temperature.log": (1,)}
    for stack, (reads, out) in {"actor": (F, 2 * A), **critics, **further}.items():
        widths = [reads, *hidden, out]
        for layer in range(len(widths) - 1):
            shapes[f"{stack}.{layer}.weight"] = (widths[layer], widths[layer + 1])
            shapes[f"{stack}.{layer}.bias"] = (widths[layer + 1],)
    return {
        name: torch.tensor(weight(order, name, shapes[name], False)).double().requires_grad_()
        for order, name in enumerate(sorted(shapes))
    }


def run(p, stack, x):
    for layer in range(len(hidden) + 1):
        x = x @ p[f"{stack}.{layer}.weight"] + p[f"{stack}.{layer}.bias"]
        if layer < len(hidden):
            x = torch.relu(x)
    return x


def values(p, state, action):
    """What both critics say of actions."""
    return [run(p, stack, torch.cat([state, action], -1))[:, 0] for stack in critics]


def draw(p, state, eps):
    """Actions by given noise, as rsample draws them, and their log-densities."""
    mean, raw = run(p, "actor", state).chunk(2, dim=-1)
    deviation = torch.exp(-5 + 0.5 * (2 - -5) * (torch.tanh(raw) + 1))
    policy = Independent(TransformedDistribution(Normal(mean, deviation), [TanhTransform(cache_size=1)]), 1)
    action = policy.base_dist.transforms[0](mean + deviation * eps)
    return action, policy.log_prob(action)


def cases(losses, own):
    """Each loss with its gradient by parameter, 0 where it has none."""
    found = {}
    for name, loss in losses.items():
        gradients = torch.autograd.grad(loss, list(own.values()), retain_graph=True, allow_unused=True)
        found[name] = {
            "loss": loss.item(),
            "gradient": {
                key: (torch.zeros_like(value) if g is None else g).flatten().tolist()
                for (key, value), g in zip(own.items(), gradients)
            },
        }
    return found
