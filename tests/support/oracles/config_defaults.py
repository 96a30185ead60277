"""Behaviour of Transformers when a configuration omits a key, sets it to null, or has a key of another family. Writes config-defaults.json.

For every family: each key of its configuration class with its default, and logits of small models (float32, weights by formula.py). A configuration states every
setting that changes logits, with a value other than the default; then each key is omitted, set to null, and keys of other families are added, one at a time. This includes
sequences longer than the default window. Run with torch 2.13 and transformers 5, without this folder in the import path: python -P config_defaults.py
"""
import json
import warnings
import numpy as np
import torch
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, logging
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

warnings.simplefilter("ignore")
logging.set_verbosity(logging.CRITICAL)
here = Path(__file__).parent
spec = spec_from_file_location("formula", here / "formula.py")
formula = module_from_spec(spec)
spec.loader.exec_module(formula)
VOCABULARY, T, LONG = 96, 12, 4130

llama_like = dict(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=12, max_position_embeddings=64,
    rms_norm_eps=1e-2, bos_token_id=1, eos_token_id=2, pad_token_id=3, rope_parameters=dict(rope_type="default", rope_theta=50.0),
)
windows = dict(use_sliding_window=True, sliding_window=3, max_window_layers=1)
gemma = dict(llama_like, tie_word_embeddings=False, attention_bias=True, query_pre_attn_scalar=20, sliding_window=3, final_logit_softcapping=3.0, hidden_activation="silu")
bases = {
    "gpt2": dict(
        vocab_size=VOCABULARY, n_positions=64, n_embd=32, n_layer=2, n_head=4, n_inner=128, activation_function="gelu_pytorch_tanh", layer_norm_epsilon=1e-2, scale_attn_weights=True,
        scale_attn_by_inverse_layer_idx=False, reorder_and_upcast_attn=False, add_cross_attention=False, tie_word_embeddings=True, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, pad_token_id=3),
    "llama": dict(llama_like, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True, attention_bias=True, mlp_bias=True),
    "mistral": dict(llama_like, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True, sliding_window=3),
    "qwen2": dict(llama_like, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True, **windows),
    "qwen3": dict(llama_like, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True, attention_bias=True, **windows),
    "gemma2": dict(gemma, attn_logit_softcapping=2.0),
    "gemma3_text": dict(gemma, num_hidden_layers=3, rope_parameters=dict(
        full_attention=dict(rope_type="linear", rope_theta=50.0, factor=4.0), sliding_attention=dict(rope_type="default", rope_theta=20.0)), sliding_window_pattern=2),
}
old_rope = dict(rope_parameters=..., rope_theta=50.0, rope_scaling=dict(rope_type="linear", factor=4.0))
yarn = dict(rope_parameters=dict(rope_type="yarn", rope_theta=50.0, factor=4.0))
llama3 = dict(rope_parameters=dict(rope_type="llama3", rope_theta=50.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0))
trained = dict(original_max_position_embeddings=16, rope_parameters=dict(rope_type="yarn", rope_theta=50.0, factor=4.0, original_max_position_embeddings=8))
both = dict(rope_theta=9.0, rope_scaling=dict(rope_type="linear", factor=4.0))
inner_windows = dict(num_hidden_layers=2, layer_types=["full_attention", "sliding_attention"])
outer_windows = dict(num_hidden_layers=2, layer_types=["sliding_attention", "full_attention"])
# Other configurations to omit keys from; `...` removes a key.
variants = {
    "gpt2": {"": {}},
    "llama": {"": {}, "old": old_rope, "yarn": yarn, "llama3": llama3, "trained": trained, "both": both},
    "mistral": {"": {}, "old": old_rope},
    "qwen2": {"": {}, "old": old_rope, "layers": outer_windows, "no window": dict(outer_windows, use_sliding_window=False)},
    "qwen3": {"": {}, "old": old_rope, "layers": outer_windows},
    "gemma2": {"": {}, "old": old_rope, "layers": inner_windows},
    "gemma3_text": {
        "": {}, "layers": inner_windows, "flat": dict(rope_parameters=dict(rope_type="linear", rope_theta=50.0, factor=4.0)),
        "old": dict(rope_parameters=..., rope_theta=50.0, rope_local_base_freq=20.0, rope_scaling=dict(rope_type="linear", factor=4.0)),
    },
}
related = ("max_position_embeddings", "sliding_window", "use_sliding_window", "max_window_layers", "rope_theta", "rope_local_base_freq", "rope_scaling", "rope_parameters")
# Keys of other families, of other models of Transformers, and of none, each with a value that would change logits if it were read.
foreign = dict(
    attn_logit_softcapping=2.0, final_logit_softcapping=2.0, sliding_window=2, use_sliding_window=True, max_window_layers=0, layer_types=["sliding_attention", "full_attention"],
    sliding_window_pattern=1, query_pre_attn_scalar=5, rope_local_base_freq=3.0, hidden_activation="silu", hidden_act="silu", activation_function="relu", mlp_bias=True, attention_bias=True,
    head_dim=8, n_inner=16, layer_norm_epsilon=0.5, rms_norm_eps=0.5, scale_attn_weights=False, scale_attn_by_inverse_layer_idx=True, reorder_and_upcast_attn=True, add_cross_attention=True,
    partial_rotary_factor=0.5, rope_theta=3.0, rope_scaling=dict(rope_type="linear", factor=2.0), rope_parameters=dict(rope_type="linear", rope_theta=3.0, factor=2.0),
    original_max_position_embeddings=8, use_bidirectional_attention=True, is_causal=False, pretraining_tp=2, logit_scale=3.0, logits_scaling=3.0, attention_multiplier=2.0, embedding_multiplier=2.0,
    residual_multiplier=2.0, num_key_value_heads=1, hidden_size=16, num_attention_heads=2, num_hidden_layers=1, n_embd=16, n_head=2, n_layer=1, n_ctx=8, n_positions=16, tie_word_embeddings=False,
    text_config=dict(tie_word_embeddings=False, sliding_window=2), use_qk_norm=True, qk_layernorm=True, attention_chunk_size=2, no_rope_layers=[0, 0], is_decoder=True, num_experts=2,
    per_layer_config={"0": {"sliding_window": 2}}, torch_dtype="float32", attention_dropout=0.5, use_cache=False, initializer_range=3.0, num_labels=3,
)


def merged(base, changes):
    return {key: value for key, value in {**base, **changes}.items() if value is not ...}


tokens = (formula.uniforms(7, 2 * T) * (VOCABULARY - 4) + 4).astype(np.int64).reshape(2, T)
long_tokens = (formula.uniforms(8, LONG) * (VOCABULARY - 4) + 4).astype(np.int64).reshape(1, LONG)


def logits(family, settings, rows=tokens):
    """The first logits after the last token of each row, or 'refused' if Transformers rejects the configuration."""
    try:
        config = CONFIG_MAPPING[family].from_dict(json.loads(json.dumps(settings)))
        model, _ = formula.filled(AutoModelForCausalLM.from_config(config, attn_implementation="eager", dtype=torch.float32), "gemma" in family)
        with torch.no_grad():
            found = model(torch.from_numpy(rows), logits_to_keep=1).logits[:, -1, :6] if family != "gpt2" else model(torch.from_numpy(rows)).logits[:, -1, :6]
        return [round(x, 6) for x in found.flatten().tolist()] if torch.isfinite(found).all() else "NaN"
    except Exception:
        return "refused"


written = {"tokens": tokens.tolist(), "families": {}}
for family, base in bases.items():
    cls = CONFIG_MAPPING[family]
    defaults = json.loads(json.dumps(cls().to_dict(), default=str))
    defaults.pop("_sliding_window_pattern", None)  # derived by the class from sliding_window_pattern
    declared = [key for key in [*defaults, "rope_theta", "rope_scaling", "rope_local_base_freq", "sliding_window_pattern"] if key != "model_type"]
    entry = written["families"][family] = {"defaults": defaults, "variants": {}}
    for name, changes in variants[family].items():
        settings = merged(base, changes)
        whole = logits(family, settings)
        # for another configuration, only its changed and related keys
        about = [key for key in settings if name == "" or key in changes or key in related]
        cases = []
        for key in about:
            cases.append([key, "absent", logits(family, {k: v for k, v in settings.items() if k != key})])
            cases.append([key, "null", logits(family, {**settings, key: None})])
        for key in declared if name == "" else []:
            if key not in settings:
                cases.append([key, "null", logits(family, {**settings, key: None})])
        if name == "":
            cases += [[key, value, logits(family, {**settings, key: value})] for key, value in foreign.items()]
        entry["variants"][name] = {"settings": settings, "logits": whole, "cases": [[key, how, "same" if found == whole else found] for key, how, found in cases]}
        print(family, name, len(cases), flush=True)
    if "sliding_window" in defaults:
        on = dict(use_sliding_window=True, max_window_layers=0) if "qwen" in family else {}
        settings = merged(base, {"num_hidden_layers": 1, "max_position_embeddings": 8192, "sliding_window": ..., **on})
        entry["long"] = {"settings": settings, "absent": logits(family, settings, long_tokens), "null": logits(family, {**settings, "sliding_window": None}, long_tokens)}

# Reward models read the last token that is not padding, so their scores depend on the padding token.
rows = [[5, 9, 30, 3, 3], [8, 0, 0, 13, 0], [8, 11, 12, 2, 2]]
written["rewards"] = {"rows": rows, "scores": {}}
for family in ("gemma2", "gemma3_text", "gpt2", "llama", "qwen3"):
    found = {}
    for how in ("stated", "absent"):
        settings = {**bases[family], "num_labels": 1, **({"pad_token_id": 3} if how == "stated" else {})}
        if how == "absent":
            settings.pop("pad_token_id", None)
        config = CONFIG_MAPPING[family].from_dict(json.loads(json.dumps(settings)))
        model, _ = formula.filled(AutoModelForSequenceClassification.from_config(config, attn_implementation="eager", dtype=torch.float32), "gemma" in family)
        with torch.no_grad():
            found[how] = [round(model(torch.tensor([row])).logits[0, 0].item(), 6) for row in rows]
    written["rewards"]["scores"][family] = found
(here / "config-defaults.json").write_text(json.dumps(written, separators=(",", ":")) + "\n")
