"""Writes preferences.json: losses and gradients of objectives over pairs on one small fixed batch, from TRL's own loss functions.

A trainer's loss is called on a stand-in for the trainer and on a model that returns log-probabilities instead of computing them, so each
gradient is d loss / d logp in float64. Where a loss function takes logits, it gets logits over two tokens with the desired
log-probability. Objectives that TRL 1.16 lacks are written here from their papers. Rows: pairs (chosen, rejected), then two triples.
Run with torch 2.13 and trl 1.16: python preferences.py
"""
import json
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

sys.path.pop(0)  # keeps tokenizers.py next to this script from shadowing the library
import torch
import torch.nn.functional as F
from trl import DPOTrainer, KTOTrainer
from trl.experimental.cpo import CPOTrainer
from trl.experimental.orpo import ORPOTrainer
from trl.experimental.tpo import TPOTrainer

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
    """A model that returns these log-probabilities, and zeros for values that a trainer only logs."""
    zeros = torch.zeros_like(values)
    outputs = SimpleNamespace(log_probs=values, entropy=zeros, mean_logits=zeros, is_top1=zeros.bool())
    return lambda **_: outputs


def trainer(**fields):
    return SimpleNamespace(
        model=SimpleNamespace(training=True), accelerator=accelerator, aux_loss_enabled=False, precompute_ref_logps=True,
        _metrics=defaultdict(lambda: defaultdict(list)), _total_train_tokens=0, _tp_size=1, **fields)


def behind_a_token(of):
    """The masks of some rows, each after a prompt of one token, as a trainer expects them."""
    completion = F.pad(mask[of], (1, 0)).long()
    return {"completion_mask": completion, "input_ids": torch.ones_like(completion), "attention_mask": torch.ones_like(completion)}


def dpo(x, loss_type, beta, smoothing=0.0):
    """DPOTrainer's loss; the batch is all chosen answers, then all rejected ones."""
    self = trainer(ld_alpha=None, f_divergence_type="reverse_kl", loss_types=[loss_type], loss_weights=[1.0], beta=beta, label_smoothing=smoothing, use_weighting=False)
    before = (reference * mask).sum(1)
    inputs = {**behind_a_token(order), "ref_chosen_logps": before[chosen], "ref_rejected_logps": before[rejected]}
    return DPOTrainer._compute_loss(self, answered((x * mask)[order]), inputs, False)


def two_token_logits(x):
    """Logits over two tokens in which token 1 has log-probability x; arbitrary for padding."""
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
    """ORPOTrainer casts to float32; this stays in float64."""

    def float(self):
        return self


def orpo(x, weight):
    self = SimpleNamespace(beta=weight, accelerator=accelerator)
    values = sums(x, average=True).as_subclass(Precise)
    return -ORPOTrainer.odds_ratio_loss(self, values[chosen], values[rejected])[0].mean().as_subclass(torch.Tensor)


def kto(x, beta, wanted, unwanted, mismatched):
    """KTOTrainer's loss; `mismatched` is the mean log-ratio of answers after other prompts, given as one number per row."""
    self = trainer(beta=beta, desirable_weight=wanted, undesirable_weight=unwanted, loss_type="kto", calculate_KL=True,
                   _compute_kl_logps=lambda *_: mismatched)
    everything = list(range(rows))
    inputs = {**behind_a_token(everything), "label": rewards > 0.5, "ref_logps": (reference * mask).sum(1), "ref_KL_logps": torch.zeros(rows)}
    return KTOTrainer._compute_loss(self, answered(x * mask), inputs, False)


def tpo(x, loss_type, beta, alpha, gamma=0.0):
    """TPOTrainer's loss on two triples: the chosen answers, the rejected ones, the gold ones."""
    sides = [0, 3, 1, 4, 2, 5]
    self = trainer(tpo_alpha=alpha, beta=beta, label_smoothing=0.0, loss_type=loss_type, tpo_l_gamma=gamma)
    logits = F.pad(two_token_logits(x)[sides] * mask[sides][..., None], (0, 0, 0, 1))
    inputs = behind_a_token(sides)
    return TPOTrainer._compute_loss(self, lambda **_: SimpleNamespace(logits=logits), inputs, False)


def cpl(x, alpha, gamma, bias):
    """CPL (arXiv:2310.13639), its loss with the conservative bias: log-softmax of the preferred segment's score."""
    discount = gamma ** torch.arange(longest)
    score = alpha * (x * mask * discount).sum(1)
    return -torch.log_softmax(torch.stack([score[chosen], bias * score[rejected]]), 0)[0].mean()


def xpo(x, alpha, beta):
    """XPO (arXiv:2405.21046), algorithm 1: DPO's loss and the likelihood of the initial policy's answers, here each pair's second row."""
    ratio = ((x - reference) * mask).sum(1)
    return -F.logsigmoid(beta * (ratio[chosen] - ratio[rejected])).mean() + alpha * (x * mask).sum(1)[rejected].mean()


def fresh_kl(x):
    """HyPO's divergence (arXiv:2406.01462): REINFORCE on the log-ratio, the other answer's as baseline; rows 2 to 5 are fresh."""
    total = (x * mask).sum(1)
    ratio = (total - (reference * mask).sum(1)).detach()
    loss = 0
    for r in range(2, rows):
        loss = loss + (ratio[r] - ratio[r ^ 1]) * total[r]
    return loss / (rows - 2)


def token_rewards(x, beta):
    """T-REG's regularizer (arXiv:2412.02685): token rewards times implicit ones, a pair weighed by DPO's sigmoid."""
    implied = beta * (x - reference) * mask
    score = implied.sum(1).detach()
    along = (implied * contrast).sum(1)
    return -(torch.sigmoid(score[rejected] - score[chosen]) * (along[chosen] + along[rejected])).mean()


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
    "plain/simpo/2/1/smoothing 0.1": case(lambda x: cpo(x, "simpo", 2.0, gamma=1.0, smoothing=0.1)),
    "odds/1": case(lambda x: orpo(x, 1.0)),
    "kto/0.3": case(lambda x: kto(x, 0.3, 1.0, 1.5, torch.tensor([0.7, 0.1, 0.4, 0.9, -0.2, 0.5]))),
    "kto/0.3/below": case(lambda x: kto(x, 0.3, 1.0, 1.0, torch.tensor([-0.7, 0.1, 0.4, -0.9, -0.2, 0.5]))),
    "triples/sigmoid": case(lambda x: tpo(x, "sigmoid", 0.5, 0.7)),
    "triples/length": case(lambda x: tpo(x, "tpo-l", 2.0, 0.3, gamma=0.6)),
    "segments": case(lambda x: cpl(x, 0.4, 0.9, 0.5)),
    "xpo": case(lambda x: xpo(x, 0.2, 0.3)),
    "fresh kl": case(fresh_kl),
    "token rewards": case(lambda x: token_rewards(x, 0.5)),
    "likelihood of chosen/token": case(lambda x: nll(x, chosen)),
    "likelihood of chosen/sequence": case(lambda x: nll(x, chosen, "sequence")),
}
Path(__file__).with_name("preferences.json").write_text(json.dumps({
    "lengths": lengths, "logp": logp.tolist(), "referenceLogp": reference.tolist(), "contrast": contrast.tolist(), "rewards": rewards.tolist(), "cases": cases,
}, allow_nan=False) + "\n")
