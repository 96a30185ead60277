"""Five steps of each optimizer on two matrices and a vector, in float64, for tests/engine/optim/oracle.test.ts.

SGD and AdamW are torch.optim's. Muon is torch.optim.Muon with its products in float64 (it takes them in bfloat16 otherwise), with AdamW for the vector.
Lion is written here from algorithm 2 of arXiv:2302.06675. Only matrices decay. Gradients are given: nothing depends on a model.
"""
import json, sys
from pathlib import Path

sys.path.pop(0)  # keeps statistics.py next to this file from shadowing the module that torch imports
import torch
import torch.optim._muon as muon

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
round32 = lambda x: x.float().double()
shapes = {"wide.weight": (3, 5), "tall.weight": (6, 2), "gain": (4,)}
start = {name: round32(torch.randn(shape)) for name, shape in shapes.items()}
grads = [{name: round32(torch.randn(shape) * 0.3) for name, shape in shapes.items()} for _ in range(5)]
LR, DECAY = 0.02, 0.1


def newton_schulz(grad, coefficients, steps, eps):
    a, b, c = coefficients
    x = grad.T if grad.size(0) > grad.size(1) else grad
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if grad.size(0) > grad.size(1) else x


muon._zeropower_via_newtonschulz = newton_schulz


class Lion(torch.optim.Optimizer):
    def __init__(self, groups, lr, betas):
        super().__init__(groups, dict(lr=lr, betas=betas, weight_decay=0.0))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                c = b1 * m + (1 - b1) * p.grad
                p.sub_(group["lr"] * (torch.sign(c) + group["weight_decay"] * p))
                m.mul_(b2).add_(p.grad, alpha=1 - b2)


def run(make):
    params = {name: torch.nn.Parameter(x.clone()) for name, x in start.items()}
    optimizers = make(params)
    for grad in grads:
        for name, p in params.items():
            p.grad = grad[name].clone()
        for optimizer in optimizers:
            optimizer.step()
    return {name: p.detach().flatten().tolist() for name, p in params.items()}


def groups(params):
    return [{"params": [p for p in params.values() if p.dim() > 1], "weight_decay": DECAY}, {"params": [p for p in params.values() if p.dim() < 2], "weight_decay": 0.0}]


def with_muon(params):
    matrices, rest = groups(params)
    return [muon.Muon(matrices["params"], lr=LR, momentum=0.95, weight_decay=DECAY, adjust_lr_fn="match_rms_adamw"), torch.optim.AdamW([rest], lr=LR, betas=(0.9, 0.95), eps=1e-8)]


def sgd(params):
    # torch.optim.SGD has coupled decay: not used here
    return [torch.optim.SGD(params.values(), lr=LR, momentum=0.9)]


cases = [
    (dict(kind="adamw", beta1=0.9, beta2=0.95, epsilon=1e-8, weightDecay=DECAY), lambda p: [torch.optim.AdamW(groups(p), lr=LR, betas=(0.9, 0.95), eps=1e-8)]),
    (dict(kind="adamw", beta1=0.9, beta2=0.999, epsilon=1e-3, weightDecay=0), lambda p: [torch.optim.AdamW(p.values(), lr=LR, betas=(0.9, 0.999), eps=1e-3, weight_decay=0)]),
    (dict(kind="sgd", beta1=0.9, beta2=0, epsilon=1e-8, weightDecay=0), sgd),
    (dict(kind="lion", beta1=0.9, beta2=0.99, epsilon=1e-8, weightDecay=DECAY), lambda p: [Lion(groups(p), LR, (0.9, 0.99))]),
    (dict(kind="muon", beta1=0.9, beta2=0.95, momentum=0.95, epsilon=1e-8, weightDecay=DECAY), with_muon),
]
flat = lambda tensors: {name: x.flatten().tolist() for name, x in tensors.items()}
out = dict(torch=torch.__version__, learningRate=LR, shapes={k: list(v) for k, v in shapes.items()}, start=flat(start), grads=[flat(g) for g in grads],
           cases=[dict(settings=settings, end=run(make)) for settings, make in cases])
Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
