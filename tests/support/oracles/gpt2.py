"""Writes gpt2/: a small random GPT-2 as Transformers saves it, its logits, and three AdamW steps in PyTorch.

Run with torch 2.13 and transformers 5: python gpt2.py
"""
import json
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel

out = Path(__file__).parent / "gpt2"
torch.manual_seed(0)
config = GPT2Config(
    vocab_size=11, n_positions=12, n_embd=16, n_layer=2, n_head=2,
    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=2,
)
model = GPT2LMHeadModel(config).float()
with torch.no_grad():  # larger than the usual 0.02, so every part of the network affects the logits
    for parameter in model.parameters():
        parameter.add_(0.2 * torch.randn_like(parameter))
model.save_pretrained(out)
(out / "generation_config.json").unlink(missing_ok=True)

tokens = torch.randint(3, 11, (3, 12))
logits = model(tokens).logits
logp = torch.log_softmax(logits[:, :-1], -1).gather(-1, tokens[:, 1:, None])[..., 0]

optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
steps = []
for _ in range(3):
    optimizer.zero_grad()
    logp_now = torch.log_softmax(model(tokens).logits[:, :-1], -1).gather(-1, tokens[:, 1:, None])[..., 0]
    loss = -logp_now.mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    gradients = {name: float(p.grad.double().square().sum().sqrt()) for name, p in model.named_parameters()}
    optimizer.step()
    steps.append({"loss": loss.item(), "gradNorm": norm.item(), "clippedGradientNorms": gradients,
                  "parameterNorms": {name: float(p.detach().double().square().sum().sqrt()) for name, p in model.named_parameters()}})

(out / "expected.json").write_text(json.dumps({
    "tokens": tokens.tolist(), "logits": logits.tolist(), "tokenLogp": logp.tolist(),
    "adamw": {"learningRate": 1e-2, "beta1": 0.9, "beta2": 0.95, "epsilon": 1e-8, "weightDecay": 0.1, "clipNorm": 1.0, "steps": steps},
}) + "\n")
