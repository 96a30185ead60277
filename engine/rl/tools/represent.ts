/** The representations of answers that a judge's head reads. */
import { encodeExample } from '../../text/spans.ts';
import type { OpenedJudge } from '../evaluation/model-scorers.ts';
import { readable } from '../evaluation/scored-tokens.ts';
import { ragged } from '../kernel/rows.ts';

/** Final hidden state of each answer's last token, items × width; NaN where an answer exceeds the context. */
export async function represent(
  { live, tokenizer }: OpenedJudge,
  items: readonly { readonly prompt: string; readonly completion: string }[],
): Promise<{ values: Float32Array; width: number }> {
  const { context } = live.programs.graph;
  const fitting = items.flatMap(({ prompt, completion }, item) => {
    const { tokens } = encodeExample(tokenizer, prompt, readable(tokenizer, completion));
    return tokens.length <= context ? [{ tokens, item }] : [];
  });
  if (fitting.length === 0) return { values: new Float32Array(), width: 0 };
  const { values: found, width } = await live.features(ragged(fitting, Int32Array, ({ tokens }) => tokens));
  const values = new Float32Array(items.length * width).fill(NaN);
  fitting.forEach(({ item }, at) => values.set(found.subarray(at * width, (at + 1) * width), item * width));
  return { values, width };
}
