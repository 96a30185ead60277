"""Writes sharded/: a small Llama in bfloat16, saved by Transformers in several files with an index, and its logits in float32.

Run with torch 2.13 and transformers 5, without this folder in the import path: python -P sharded.py
"""
import json
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

out = Path(__file__).parent / "sharded"
torch.manual_seed(1)
config = LlamaConfig(
    vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=32, bos_token_id=1, eos_token_id=2, pad_token_id=0, attn_implementation="eager",
)
model = LlamaForCausalLM(config)
with torch.no_grad():
    for parameter in model.parameters():
        parameter.add_(0.2 * torch.randn_like(parameter))
model = model.to(torch.bfloat16)
model.save_pretrained(out, max_shard_size="4KB")
(out / "generation_config.json").unlink(missing_ok=True)
tokens = torch.randint(3, 40, (1, 9))
logits = model.float()(tokens).logits[0]
(out / "expected.json").write_text(json.dumps({"tokens": tokens[0].tolist(), "logits": [[round(x, 6) for x in row] for row in logits.tolist()]}) + "\n")
