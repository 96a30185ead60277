"""Logits and rewards of small models of every architecture, by Transformers in float32. Writes families.json and families.safetensors.

Weights are not stored: `weight` below and `formulaWeights` in tests/support/families.ts make the same numbers from a tensor's name order and shape.
Run with torch 2.13 and transformers 5, without this folder in the import path: python -P families.py
"""
import json
import numpy as np
import torch
from pathlib import Path
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification

here = Path(__file__).parent
VOCABULARY, T = 96, 20
common = dict(
    vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0, attn_implementation="eager",
)

# Each architecture as Transformers spells it now; `before` holds the settings of version 4 that mean the same.
cases = {
    "llama tied": (dict(model_type="llama", tie_word_embeddings=True, rope_parameters=dict(rope_type="default", rope_theta=5000.0)), dict(rope_theta=5000.0)),
    "llama 3": (
        dict(model_type="llama", attention_bias=True, mlp_bias=True, head_dim=32, rope_parameters=dict(
            rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)),
        dict(rope_theta=10000.0, rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)),
    ),
    "llama linear": (dict(model_type="llama", rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=4.0)), dict(rope_theta=10000.0, rope_scaling=dict(type="linear", factor=4.0))),
    "llama dynamic": (dict(model_type="llama", rope_parameters=dict(rope_type="dynamic", rope_theta=10000.0, factor=4.0)), dict(rope_scaling=dict(type="dynamic", factor=4.0))),
    "llama yarn": (
        dict(model_type="llama", rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16)),
        dict(rope_scaling=dict(type="yarn", factor=4.0, original_max_position_embeddings=16)),
    ),
    "llama one key head": (dict(model_type="llama", num_key_value_heads=1, hidden_act="gelu_pytorch_tanh", rms_norm_eps=1e-3), dict()),
    "mistral": (dict(model_type="mistral", sliding_window=7), dict(rope_theta=10000.0)),
    "qwen2": (dict(model_type="qwen2", tie_word_embeddings=True, rope_parameters=dict(rope_type="default", rope_theta=1e6)), dict(rope_theta=1e6, use_sliding_window=False, sliding_window=8)),
    "qwen2 windows": (dict(model_type="qwen2", use_sliding_window=True, sliding_window=6, max_window_layers=1), dict(rope_theta=10000.0, layer_types=None)),
    "qwen3": (dict(model_type="qwen3", head_dim=24, rope_parameters=dict(rope_type="default", rope_theta=1e6)), dict(rope_theta=1e6)),
    "gemma 2": (dict(model_type="gemma2", head_dim=16, query_pre_attn_scalar=20, sliding_window=6, attn_logit_softcapping=2.0, final_logit_softcapping=3.0), dict(rope_theta=10000.0, layer_types=None)),
    "gemma 3": (
        dict(model_type="gemma3_text", head_dim=16, query_pre_attn_scalar=24, sliding_window=6, num_hidden_layers=3, layer_types=["sliding_attention", "full_attention", "sliding_attention"], rope_parameters=dict(
            full_attention=dict(rope_type="linear", rope_theta=1e6, factor=8.0), sliding_attention=dict(rope_type="default", rope_theta=10000.0))),
        dict(rope_theta=1e6, rope_local_base_freq=10000.0, rope_scaling=dict(rope_type="linear", factor=8.0)),
    ),
}
gpt2 = dict(model_type="gpt2", vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, pad_token_id=0, bos_token_id=1, eos_token_id=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
# Reward models: padded rows, one whose last tokens are the padding token, and a model that pads with its end token.
rewards = {
    "gpt2": gpt2, "llama": dict(common, model_type="llama"), "qwen3": dict(common, model_type="qwen3", head_dim=24, pad_token_id=2),
    "gemma 3": dict(common, **cases["gemma 3"][0]),
}


def uniforms(seed: int, count: int) -> np.ndarray:
    """Numbers in [0, 1) that depend on the seed only; the hash of tests/support/tensors.ts."""
    def times(a, b):
        return (a.astype(np.uint64) * np.uint64(b) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    first = np.uint32(((seed ^ 0x9E3779B9) * 0x85EBCA6B) & 0xFFFFFFFF)
    h = first ^ times(np.arange(1, count + 1, dtype=np.uint32), 0xC2B2AE35)
    h = times(h ^ (h >> np.uint32(15)), 0x2C1B3C6D)
    h = times(h ^ (h >> np.uint32(12)), 0x297A2D39)
    return (h ^ (h >> np.uint32(15))).astype(np.float64) / 2**32


def weight(order: int, name: str, shape, gemma: bool) -> np.ndarray:
    spread = uniforms(1000 + order, int(np.prod(shape))) * 2 - 1
    is_gain = "norm" in name or ".ln_" in name
    if is_gain and name.endswith("weight"):
        values = (0.0 if gemma else 1.0) + 0.3 * spread
    else:
        values = (0.2 if name.endswith("weight") else 0.1) * spread
    return values.astype(np.float32).reshape(shape)


def filled(model, gemma: bool):
    """Fills a model; tensors are numbered in the order of their names, a tied output matrix is no tensor of its own."""
    state = model.state_dict()
    tied = model.config.get_text_config().tie_word_embeddings and "lm_head.weight" in state
    names = sorted(name for name in state if not (tied and name == "lm_head.weight"))
    with torch.no_grad():
        for order, name in enumerate(names):
            state[name].copy_(torch.from_numpy(weight(order, name, tuple(state[name].shape), gemma)))
    return model.eval(), names


def as_file(config, architecture: str) -> dict:
    """What save_pretrained writes as config.json."""
    return {**config.to_diff_dict(), "architectures": [architecture]}


def plain(setting):
    """Without the old name of `rope_type`, which version 5 keeps beside the new one."""
    return {key: plain(value) for key, value in setting.items() if key != "type"} if isinstance(setting, dict) else setting


tokens = (uniforms(7, 2 * T) * (VOCABULARY - 3) + 3).astype(np.int64).reshape(2, T)
written, expected = {"tokens": tokens.tolist(), "cases": [], "rewards": []}, {}
for name, (now, before) in cases.items():
    settings = dict(common, **now)
    model, names = filled(AutoModelForCausalLM.from_config(AutoConfig.for_model(**settings), attn_implementation="eager"), "gemma" in name)
    with torch.no_grad():
        expected[name] = model(torch.from_numpy(tokens)).logits.numpy()
    config = as_file(model.config, type(model).__name__)
    old = {key: value for key, value in {**config, **before}.items() if key not in ("rope_parameters", "layer_types") or (key == "layer_types" and "layer_types" in now)}
    for key in ("rope_parameters", "layer_types", "sliding_window"):
        one, other = (plain(c.to_dict().get(key)) for c in (AutoConfig.for_model(**old), model.config))
        assert one == other, (name, key, one, other)
    written["cases"].append({"name": name, "config": config, "before": old, "tensors": names})

rows = [[5, 9, 30, 2], [8, 11, 12, 13, 14, 15, 2], [7, 2, 2], [4, 90, 17, 33, 33]]
for name, settings in rewards.items():
    config = AutoConfig.for_model(**settings, num_labels=1)
    model, names = filled(AutoModelForSequenceClassification.from_config(config, attn_implementation="eager"), "gemma" in name)
    longest = max(len(row) for row in rows)
    padded = torch.tensor([row + [settings["pad_token_id"]] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    with torch.no_grad():
        scores = model(padded, attention_mask=mask).logits[:, 0].tolist()
    written["rewards"].append({"name": name, "config": as_file(model.config, type(model).__name__), "tensors": names, "scores": scores})
written["rows"] = rows

(here / "families.json").write_text(json.dumps(written, separators=(",", ":")) + "\n")
save_file(expected, here / "families.safetensors")
