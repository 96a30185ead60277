"""Tokens that Transformers keeps under top-k, top-p and min-p in its own order, with and without ties."""
import json
import pathlib

import torch
from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from formula import uniforms

cases = []
for at, (vocabulary, spread, levels) in enumerate([(12, 6, 0), (40, 10, 0), (64, 4, 4), (65, 8, 0), (300, 12, 0), (300, 6, 12), (5000, 14, 0)]):
    # `levels`: logits are rounded to so many per unit, which ties many of them
    raw = uniforms(70 + at, vocabulary) * spread
    logits = (raw * 2**16).round() / 2**16 if levels == 0 else (raw * levels / 4).round() / levels * 4
    for filters in [
        {"topK": 1}, {"topK": 5}, {"topK": 40}, {"topK": 10_000}, {"topP": 0.05}, {"topP": 0.5}, {"topP": 0.9},
        {"topP": 0.999}, {"minP": 0.05}, {"minP": 0.5}, {"topK": 20, "topP": 0.8}, {"topK": 30, "topP": 0.9, "minP": 0.1},
    ]:
        scores = torch.tensor(logits, dtype=torch.float64)[None]
        if "topK" in filters:
            scores = TopKLogitsWarper(min(filters["topK"], vocabulary))(None, scores)
        if "topP" in filters:
            scores = TopPLogitsWarper(filters["topP"])(None, scores)
        if "minP" in filters:
            scores = MinPLogitsWarper(filters["minP"])(None, scores)
        kept = torch.isfinite(scores[0]).nonzero()[:, 0].tolist()
        dropped = 1 - torch.softmax(torch.tensor(logits, dtype=torch.float64), 0)[kept].sum().item()
        # long lists as their least kept logit and their number
        cases.append({
            "seed": 70 + at, "vocabulary": vocabulary, "spread": spread, "levels": levels, "filters": filters,
            "count": len(kept), "least": float(min(logits[i] for i in kept)), "dropped": dropped,
        })
path = pathlib.Path(__file__).with_name("truncation.json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
