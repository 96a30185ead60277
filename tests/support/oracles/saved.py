"""Loads a folder saved by Whetstone into Transformers, by hand: python -P saved.py FOLDER 1,2,3

Prints the model's class, whether every tensor was loaded, and the last position's logits (or the score), to compare with
`npm run cli -- logits --model FOLDER --tokens 1,2,3`.
"""
import json
import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

folder, tokens = Path(sys.argv[1]), [int(token) for token in sys.argv[2].split(",")]
config = AutoConfig.from_pretrained(folder)
reward = config.architectures[0].endswith("ForSequenceClassification")
kind = AutoModelForSequenceClassification if reward else AutoModelForCausalLM
model, found = kind.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
with torch.no_grad():
    logits = model(torch.tensor([tokens])).logits[0]
tokenizer = AutoTokenizer.from_pretrained(folder)
print(json.dumps({
    "class": type(model).__name__, "dtype": str(config.dtype), "missing": sorted(found["missing_keys"]), "unexpected": sorted(found["unexpected_keys"]),
    "tokenizer": type(tokenizer).__name__, "vocabulary": len(tokenizer), "values": (logits if reward else logits[-1]).tolist(),
}))
