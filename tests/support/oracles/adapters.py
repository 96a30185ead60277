"""Writes adapters/: LoRA adapters as PEFT saves them, for the models of gpt2/ and sharded/, with logits, a loss and its gradients.

Run with torch 2.13, transformers 5 and peft 0.21: python adapters.py
With two more arguments, python adapters.py MODEL ADAPTER, prints the last logits of tokens 3, 4, 5, 6 for an adapter folder made elsewhere.
"""
import json
import sys
from pathlib import Path

sys.path.pop(0)  # keeps tokenizers.py next to this script from shadowing the library
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

here = Path(__file__).parent
cases = {
    "gpt2": dict(base="gpt2", config=LoraConfig(task_type="CAUSAL_LM", r=2, lora_alpha=6, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True)),
    "llama": dict(base="sharded", config=LoraConfig(task_type="CAUSAL_LM", r=3, lora_alpha=4, target_modules=["q_proj", "v_proj", "down_proj"], use_rslora=True)),
}


def short(x):
    """Seven digits, the precision of float32."""
    return [float(f"{value:.7g}") for value in x.flatten().tolist()]


def make(name, base, config):
    torch.manual_seed(1)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(here / base, dtype=torch.float32), config)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if "lora_" in key:
                parameter.copy_(0.3 * torch.randn_like(parameter))
    folder = here / "adapters" / name
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    saved = json.loads((folder / "adapter_config.json").read_text())
    saved["base_model_name_or_path"] = f"../../{base}"
    saved["target_modules"] = sorted(saved["target_modules"])
    (folder / "adapter_config.json").write_text(json.dumps(saved, indent=1) + "\n")
    tokens = torch.randint(3, model.config.vocab_size, (2, 6))
    logits = model(tokens).logits
    logp = torch.log_softmax(logits[:, :-1], -1).gather(-1, tokens[:, 1:, None])[..., 0]
    loss = -logp.mean()
    loss.backward()
    gradients = {key.replace("base_model.model.", "").replace(".default", ""): short(p.grad) for key, p in model.named_parameters() if p.grad is not None}
    return {"tokens": tokens.tolist(), "logits": short(logits), "loss": loss.item(), "gradients": gradients}


if len(sys.argv) == 3:
    base = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
    model = PeftModel.from_pretrained(base, sys.argv[2])
    print(json.dumps(short(model(torch.tensor([[3, 4, 5, 6]])).logits[0, -1])))
else:
    (here / "adapters").mkdir(exist_ok=True)
    expected = {name: make(name, **case) for name, case in cases.items()}
    (here / "adapters" / "expected.json").write_text(json.dumps(expected) + "\n")
