/** Writes answers with a model, as columns. */
import { generate, type GenerateOptions } from '../models/generate/generate.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { Answers, PerToken, Problem } from './columns.ts';
import { ragged, rowCount, rowOf } from './rows.ts';

export interface WriteOptions extends Omit<GenerateOptions, 'rows'> { readonly tokenizer: Tokenizer }

/** One answer to each row's prompt; draws are keyed by (problem, sample). */
export const writeAnswers = async (prompts_RT: PerToken<Int32Array>, problem_R: readonly Problem[], sample_R: ArrayLike<number>, { tokenizer, ...options }: WriteOptions): Promise<Answers> => {
  const rows = Array.from({ length: rowCount(prompts_RT) }, (_, r) => ({ prompt: rowOf(prompts_RT, r), promptId: problem_R[r].promptId, sample: sample_R[r] }));
  const answers = await generate({ ends: tokenizer.ends, ...options, rows });
  return {
    tokens: ragged(answers.map((a) => a.tokens), Int32Array),
    mask: ragged(answers.map((a) => new Uint8Array(a.tokens.length).fill(1, a.promptLength)), Uint8Array),
    behaviorLogp: ragged(answers.map(({ tokens, promptLength, logp }) => {
      const row = new Float32Array(tokens.length);
      row.set(logp, promptLength);
      return row;
    }), Float32Array),
    completion: answers.map(({ tokens, promptLength }) => tokenizer.decode(tokens.subarray(promptLength))),
    ended: Float64Array.from(answers, (a) => Number(a.stopReason === 'end')),
  };
};
