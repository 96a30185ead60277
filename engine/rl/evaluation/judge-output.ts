/**
 * Turns a judge model's outputs into one score. A `JudgeOutput` gives their meaning and combination, and is
 * saved with the checkpoint.
 */
import { sigmoid } from '../../evaluate/index.ts';
import type { Combination, Parts } from '../../rewards/combine.ts';
import type { JudgeOutput } from '../../schema/judge-output.ts';
import { hash32 } from '../../random/random.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { writeAnswers } from '../compute/answers.ts';
import type { JudgeModel } from '../compute/score-cache.ts';
import { maskedSums, offsetsFor, ragged, rowOf } from '../kernel/rows.ts';
import { readable, scoredTokens } from './scored-tokens.ts';
import { cutTo, verdictRows } from '../parts/context/write-verdict.ts';
import { splitUser } from '../parts/math/user-texts.ts';
import { verdictIn } from '../parts/math/verdicts.ts';

export interface Judged {
  readonly prompt: string;
  readonly completion: string;
}

/** True if the outputs are probabilities, in 0–1. */
export const isProbability = ({ kind }: JudgeOutput): boolean => kind !== 'scores' && kind !== 'latent';

/** The combination declared by the judge output. */
export const ownCombination = ({ how, caution }: JudgeOutput): Combination => ({ how, caution });

/** A model's outputs before combination: R rows of labels or of steps. */
export const partsOf = async (
  model: JudgeModel,
  tokenizer: Tokenizer,
  judgeOutput: JudgeOutput,
  asked: readonly Judged[],
): Promise<Parts> => {
  const { context } = model.programs.graph;
  const front = judgeOutput.kind === 'scores' ? (judgeOutput.condition ?? '') : '';
  const rows = front === '' ? asked : asked.map((row) => ({ ...row, prompt: `${front}${row.prompt}` }));
  const even = (values: Float64Array): Parts => ({
    values,
    offsets: offsetsFor(rows.map(() => (rows.length === 0 ? 0 : values.length / rows.length))),
  });
  const readers: { readonly [K in JudgeOutput['kind']]: () => Promise<Parts> } = {
    scores: async () => even(await model.scores(scoredTokens(rows, tokenizer, context))),
    probability: async () => even((await model.scores(scoredTokens(rows, tokenizer, context))).map(sigmoid)),
    steps: () => stepProbabilities(model, tokenizer, rows),
    verdict: async () =>
      even(
        await verdictProbabilities(
          model,
          tokenizer,
          judgeOutput as Extract<JudgeOutput, { kind: 'verdict' }>,
          rows,
        ),
      ),
    latent: async () =>
      even(
        await latentScores(model, tokenizer, judgeOutput as Extract<JudgeOutput, { kind: 'latent' }>, rows),
      ),
    'dead-end': async () => {
      const tokens = scoredTokens(rows, tokenizer, context);
      const logits = await model.each('logit', tokens, 1);
      return even(Float64Array.from(rows, (_, r) => 1 - sigmoid(rowOf(logits, r).at(-1) ?? 0)));
    },
    sampled: async () =>
      even(
        await sampledVotes(model, tokenizer, judgeOutput as Extract<JudgeOutput, { kind: 'sampled' }>, rows),
      ),
  };
  return readers[judgeOutput.kind]();
};

/**
 * Splits an answer into lines. All but the last, which states the result, are steps; a single line is a step.
 */
const linesOf = (completion: string): string[] => completion.split('\n');

const stepProbabilities = async (
  model: JudgeModel,
  tokenizer: Tokenizer,
  rows: readonly Judged[],
): Promise<Parts> => {
  const { context } = model.programs.graph;
  const made = rows.map(({ prompt, completion }) => {
    const tokens = [...encodePrompt(tokenizer, prompt)];
    const ends: number[] = [];
    const lines = linesOf(readable(tokenizer, completion));
    lines.forEach((line, at) => {
      tokens.push(...tokenizer.encode(at < lines.length - 1 ? `${line}\n` : line));
      if (at < Math.max(1, lines.length - 1)) ends.push(Math.min(tokens.length, context) - 1);
    });
    // tokens beyond the context are cut; steps there are judged at its last token
    return { tokens: [...tokens, tokenizer.end].slice(0, context), ends };
  });
  const verdicts = await model.each(
    'verdicts',
    ragged(made, Int32Array, ({ tokens }) => tokens),
    1,
  );
  const values = made.flatMap(({ ends }, r) => {
    const row = rowOf(verdicts, r);
    return ends.map((at) => sigmoid(row[at]));
  });
  return { values: Float64Array.from(values), offsets: offsetsFor(made.map(({ ends }) => ends.length)) };
};

/** p(right) ÷ (p(right) + p(wrong)) of the two verdict texts after each answer, each scored as a whole. */
const verdictProbabilities = async (
  model: JudgeModel,
  tokenizer: Tokenizer,
  { right, wrong }: Extract<JudgeOutput, { kind: 'verdict' }>,
  rows: readonly Judged[],
): Promise<Float64Array> => {
  const answers = scoredTokens(rows, tokenizer, model.programs.graph.context);
  const logp = async (verdict: string): Promise<Float64Array> => {
    const { tokens, mask } = verdictRows(
      rows.map((_, r) => ({ answer: rowOf(answers, r), verdict })),
      tokenizer,
      model.programs.graph.context,
    );
    return maskedSums(await model.logp(tokens, 1), mask);
  };
  const [yes, no] = [await logp(right), await logp(wrong)];
  return yes.map((value, r) => sigmoid(value - no[r]));
};

/**
 * R × samples, row by row: the votes of judgements sampled at temperature 1. Draws are keyed by prompt and
 * answer, so that the same answer gets the same votes.
 */
const sampledVotes = async (
  { model, programs }: JudgeModel,
  tokenizer: Tokenizer,
  { samples, tokens: limit, ...texts }: Extract<JudgeOutput, { kind: 'sampled' }>,
  rows: readonly Judged[],
): Promise<Float64Array> => {
  const { context } = programs.graph;
  const answers = scoredTokens(rows, tokenizer, context);
  const each = rows.flatMap((row, r) =>
    Array.from({ length: samples }, (_, sample) => ({ ...row, r, sample })),
  );
  const { completion } = await writeAnswers(
    ragged(each, Int32Array, ({ r }) => cutTo(context - limit, rowOf(answers, r), tokenizer.end)),
    each.map(({ prompt, completion }) => ({
      promptId: `${hash32(prompt)}/${hash32(completion)}`,
      prompt,
      reference: null,
    })),
    each.map(({ sample }) => sample),
    {
      device: programs.device,
      model,
      tokenizer,
      temperature: 1,
      maxTokens: limit,
      seed: 0,
      purpose: 'judgements',
      step: 0,
    },
  );
  return Float64Array.from(completion, (text) => verdictIn(text, texts));
};

/**
 * s₀ + μ · φ for each answer: the common score, and the mean of its user's latent times the answer's factors
 * (VPL, arXiv:2408.10075).
 */
const latentScores = async (
  model: JudgeModel,
  tokenizer: Tokenizer,
  { separator, latents }: Extract<JudgeOutput, { kind: 'latent' }>,
  rows: readonly Judged[],
): Promise<Float64Array> => {
  const { context } = model.programs.graph;
  const split = rows.map(({ prompt }) => splitUser(prompt, separator));
  const users = await model.scores(
    ragged(split, Int32Array, ({ user }) =>
      [...encodePrompt(tokenizer, user), tokenizer.end].slice(-context),
    ),
  );
  const answers = await model.scores(
    scoredTokens(
      rows.map((row, r) => ({ ...row, prompt: split[r].question })),
      tokenizer,
      context,
    ),
  );
  const labels = 1 + 2 * latents;
  return Float64Array.from(rows, (_, r) => {
    let score = answers[r * labels];
    for (let k = 1; k <= latents; k++) score += users[r * labels + k] * answers[r * labels + k];
    return score;
  });
};
