"""Logits and rewards of small models of every architecture, by Transformers in float32. Writes families.json and families.safetensors.

Weights are not stored: `weight` of formula.py and `formulaWeights` in tests/support/families.ts compute the same numbers from a tensor's position among the sorted names and its shape.
Run with torch 2.13 and transformers 5, without this folder in the import path: python -P families.py
"""
import json
import numpy as np
import torch
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification

here = Path(__file__).parent
spec = spec_from_file_location("formula", here / "formula.py")
formula = module_from_spec(spec)
spec.loader.exec_module(formula)
uniforms, filled = formula.uniforms, formula.filled
VOCABULARY, T = 96, 20
common = dict(
    vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0, attn_implementation="eager",
)

# Each architecture in the current format of Transformers; `before` has the equivalent settings of version 4.
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


def as_file(config, architecture: str) -> dict:
    """The config.json that save_pretrained writes."""
    return {**config.to_diff_dict(), "architectures": [architecture]}


def plain(setting):
    """Without the old name of `rope_type`, which version 5 keeps in addition to the new one."""
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
