"""Writes templates.json: Transformers' rendering of small templates that use each construct (templates.jsonl), on the date that the engine prints.

With a folder of templates as argument it writes trl-templates.json instead: for each template a few digits of a hash of its rendering of each conversation. It contains
nothing of the templates themselves. Run with transformers 5, without this folder in the import path: python -P templates.py [FOLDER]
"""
import datetime
import hashlib
import json
import sys
from pathlib import Path
from transformers.utils import chat_template_utils

here = Path(__file__).parent


class Day(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2025, 1, 1)


chat_template_utils.datetime = Day
code = "def f(x):\n    if x:\n        return [1, 2]\n\treturn None"
texts = ["Hello", "", " ", "\n\nlead", "trail\n\n", "  both  \n", code, f"```python\n{code}\n```\n", "naïve 漢字 🎉 e\u0301\u00a0nbsp", "<think>\nwhy\n</think>\n\nso", "a <b> & \"c\" 'd' {x} {% y %}", "\u2028line\ufeffend\u3000"]
answer = "<think>\n  step 1\n    step 2\n</think>\n\n    indented answer\n\tend  \n"


def message(role, content):
    return {"role": role, "content": content}


conversations = [[message("user", text)] for text in texts]
conversations += [[message("user", "Q"), message("assistant", text)] for text in texts + [answer, "    " + code, "<think></think>x", "a</think>b</think>\n c", "<think>open"]]
conversations += [[message("system", text), message("user", " Hi "), message("assistant", answer), message("user", "And?"), message("assistant", f"\n{text}\n")] for text in texts]
conversations += [
    [message("user", "a"), message("assistant", "b"), message("user", "c")], [message("system", "only")], [message("assistant", "first")], [message("user", "a"), message("user", "b")], [],
    [message("system", "s"), message("user", "a"), message("assistant", answer)], [message("tool", "t"), message("user", "a")], [message("user", "a"), message("assistant", "b"), message("assistant", "c")],
    [message("user", "a"), message("tool", "{\"x\": 1}"), message("assistant", "b")], [message("developer", "d"), message("user", "a")], [message("user", "<tool_response>\nx\n</tool_response>"), message("assistant", "b")],
]
specials = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def render(source, conversation, reply):
    try:
        found = chat_template_utils.render_jinja_template([conversation], chat_template=source, add_generation_prompt=reply, **specials)[0]
        return found if isinstance(found, str) else found[0]
    except Exception:
        return None


if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    written = {"conversations": conversations, "specials": specials, "hashes": {}}
    for path in sorted(folder.glob("*.jinja")):
        source = path.read_text()
        rendered = [render(source, conversation, reply) for conversation in conversations for reply in (False, True)]
        # five digits of a hash are enough to detect a different text, and keep the file small
        written["hashes"][path.name] = " ".join("-" if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:5] for text in rendered)
    (here / "trl-templates.json").write_text(json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n")
else:
    written = []
    for line in (here / "templates.jsonl").read_text().splitlines():
        source = json.loads(line)
        rendered = [render(source, conversation, reply) for conversation, reply in [(conversations[24], False), (conversations[34], True), ([], False)]]
        written.append({"template": source, "rendered": rendered})
    (here / "templates.json").write_text(json.dumps({"conversations": [conversations[24], conversations[34], []], "specials": specials, "templates": written}, ensure_ascii=False, indent=0) + "\n")
