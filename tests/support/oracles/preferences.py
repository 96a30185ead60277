"""Writes preferences.json: losses and gradients of objectives over pairs on one small fixed batch, from TRL's own loss functions.

A trainer's loss is called on a stand-in for the trainer and on a model that returns log-probabilities instead of computing them, so each
gradient is d loss / d logp in float64. Where a loss function starts at logits, logits over two tokens are made that have the wanted
log-probability. What TRL 1.16 lacks is written out here from its paper. Rows: pairs (chosen, rejected), then two triples.
Run with torch 2.13 and trl 1.16: python preferences.py
"""
import json
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

sys.path.pop(0)  # tokenizers.py beside this script is not the library of that name
import torch
import torch.nn.functional as F
from trl import DPOTrainer
from trl.experimental.cpo import CPOTrainer
from trl.experimental.orpo import ORPOTrainer

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
lengths = [3, 5, 2, 4, 6, 4]
longest = max(lengths)
rows = len(lengths)
mask = torch.tensor([[1.0 if t < n else 0.0 for t in range(longest)] for n in lengths])
logp = (-torch.rand(rows, longest) * 2 - 0.1) * mask
reference = (logp + 0.4 * torch.randn(rows, longest)) * mask
contrast = (torch.rand(rows, longest) - 0.5) * mask
rewards = torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0, 0.0])
chosen, rejected = list(range(0, rows, 2)), list(range(1, rows, 2))
order = chosen + rejected


def case(loss_of, variable=logp):
    x = variable.clone().requires_grad_(True)
    loss = loss_of(x)
    (gradient,) = torch.autograd.grad(loss, x)
    return {"loss": loss.item(), "gradient": gradient.tolist()}


accelerator = SimpleNamespace(device=torch.device("cpu"), gather_for_metrics=lambda x: x, gather=lambda x: x)


def answered(values):
    """A model that answers with these log-probabilities, and with zeros for what a trainer only logs."""
    zeros = torch.zeros_like(values)
    outputs = SimpleNamespace(log_probs=values, entropy=zeros, mean_logits=zeros, is_top1=zeros.bool())
    return lambda **_: outputs


def trainer(**fields):
    return SimpleNamespace(
        model=SimpleNamespace(training=True), accelerator=accelerator, aux_loss_enabled=False, precompute_ref_logps=True,
        _metrics=defaultdict(lambda: defaultdict(list)), _total_train_tokens=0, _tp_size=1, **fields)


def behind_a_token(of):
    """The masks of some rows, each behind a prompt of one token, as a trainer is fed them."""
    completion = F.pad(mask[of], (1, 0)).long()
    return {"completion_mask": completion, "input_ids": torch.ones_like(completion), "attention_mask": torch.ones_like(completion)}


def dpo(x, loss_type, beta, smoothing=0.0):
    """DPOTrainer's loss; the batch is all chosen answers, then all rejected ones."""
    self = trainer(ld_alpha=None, f_divergence_type="reverse_kl", loss_types=[loss_type], loss_weights=[1.0], beta=beta, label_smoothing=smoothing, use_weighting=False)
    before = (reference * mask).sum(1)
    inputs = {**behind_a_token(order), "ref_chosen_logps": before[chosen], "ref_rejected_logps": before[rejected]}
    return DPOTrainer._compute_loss(self, answered((x * mask)[order]), inputs, False)


def two_token_logits(x):
    """Logits over two tokens in which token 1 has log-probability x; of padding any."""
    x = torch.where(mask > 0, x, torch.tensor(-1.0))
    return torch.stack([torch.log1p(-torch.exp(x)), x], -1)


def nll(x, of, how="token"):
    labels = torch.where(mask[of] > 0, 1, -100)
    if how == "token":
        return F.cross_entropy(two_token_logits(x)[of].view(-1, 2), labels.view(-1), ignore_index=-100)
    return (-(x * mask)[of].sum(1) / mask[of].sum(1)).mean()


def sums(x, average=False):
    total = (x * mask).sum(1)
    return total / mask.sum(1) if average else total


def cpo(x, loss_type, beta, gamma=0.0, smoothing=0.0):
    """CPOTrainer.cpo_loss on summed (SimPO: mean) log-probabilities."""
    self = SimpleNamespace(alpha=0.0, accelerator=accelerator, loss_type=loss_type, simpo_gamma=gamma, beta=beta, label_smoothing=smoothing)
    values = sums(x, average=loss_type == "simpo")
    return CPOTrainer.cpo_loss(self, values[chosen], values[rejected])[0].mean()


class Precise(torch.Tensor):
    """ORPOTrainer asks for float32; this stays in float64."""

    def float(self):
        return self


def orpo(x, weight):
    self = SimpleNamespace(beta=weight, accelerator=accelerator)
    values = sums(x, average=True).as_subclass(Precise)
    return -ORPOTrainer.odds_ratio_loss(self, values[chosen], values[rejected])[0].mean().as_subclass(torch.Tensor)


def slic(x, delta):
    """SLiC-HF (arXiv:2305.10425), section 2.2, without its likelihood term."""
    values = sums(x)
    return torch.relu(delta - values[chosen] + values[rejected]).mean()


cases = {
    "ratio/sigmoid/0.1": case(lambda x: dpo(x, "sigmoid", 0.1)),
    "ratio/hinge/0.5": case(lambda x: dpo(x, "hinge", 0.5)),
    "ratio/ipo/0.1": case(lambda x: dpo(x, "ipo", 0.1)),
    "ratio/ipo/1": case(lambda x: dpo(x, "ipo", 1.0)),
    "plain/sigmoid/0.5": case(lambda x: cpo(x, "sigmoid", 0.5)),
    "plain/sigmoid/0.5/smoothing 0.1": case(lambda x: cpo(x, "sigmoid", 0.5, smoothing=0.1)),
    "plain/hinge/1": case(lambda x: cpo(x, "hinge", 1.0)),
    "plain/hinge/delta 3": case(lambda x: slic(x, 3.0)),
    "plain/simpo/2/1": case(lambda x: cpo(x, "simpo", 2.0, gamma=1.0)),
    "odds/1": case(lambda x: orpo(x, 1.0)),
    "likelihood of chosen/token": case(lambda x: nll(x, chosen)),
    "likelihood of chosen/sequence": case(lambda x: nll(x, chosen, "sequence")),
}
Path(__file__).with_name("preferences.json").write_text(json.dumps({
    "lengths": lengths, "logp": logp.tolist(), "referenceLogp": reference.tolist(), "contrast": contrast.tolist(), "rewards": rewards.tolist(), "cases": cases,
}, allow_nan=False) + "\n")
