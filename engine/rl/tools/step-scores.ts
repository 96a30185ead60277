/** Scores of the steps of answers, by a judge of steps or by the scores of prefixes. */
import { stepsAt, type StepRange } from '../../common/answer-steps.ts';
import { sigmoid } from '../../evaluate/index.ts';
import type { AnswerStepScores, StepScores } from '../../schema/inside.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { OpenedJudge } from '../evaluation/model-scorers.ts';
import { ragged, rowOf } from '../kernel/rows.ts';

interface Stepwise {
  readonly prompt: string;
  readonly steps: readonly string[];
}

/** Probabilities of all steps at their last tokens, in one pass an answer. */
async function byHead({ live, tokenizer }: OpenedJudge, items: readonly Stepwise[]): Promise<StepScores[]> {
  const { context } = live.programs.graph;
  const made = items.map(({ prompt, steps }) => {
    const tokens = [...encodePrompt(tokenizer, prompt)];
    const ends = steps.map((step) => tokens.push(...tokenizer.encode(`${step}\n`)) - 1);
    return { tokens: [...tokens, tokenizer.end].slice(0, context), ends };
  });
  const verdicts = await live.each(
    'verdicts',
    ragged(made, Int32Array, ({ tokens }) => tokens),
    1,
  );
  return made.map(({ ends }, r) => {
    const row = rowOf(verdicts, r);
    return { by: 'head', scores: ends.map((end) => (end < context ? sigmoid(row[end]) : null)) };
  });
}

interface Prefix {
  readonly prompt: string;
  readonly completion: string;
}

/** Scores of prefixes as whole answers; null for one that exceeds the context. */
async function prefixScores(judge: OpenedJudge, prefixes: readonly Prefix[]): Promise<(number | null)[]> {
  const fits = prefixes.filter((row) => {
    const { tokens, context } = judge.room?.(row) ?? { tokens: 0, context: 1 };
    return tokens <= context;
  });
  const scores = await judge.score(
    fits.map(({ prompt, completion }) => ({
      promptId: '',
      prompt,
      completion,
      tokens: completion.length,
      stopReason: 'end',
    })),
  );
  const known = new Map(fits.map((row, at) => [row, scores[at]]));
  return prefixes.map((row) => known.get(row) ?? null);
}

/** The score of the answer up to the end of each step, as if it ended there. */
async function byPrefix(judge: OpenedJudge, items: readonly Stepwise[]): Promise<StepScores[]> {
  const prefixes = items.flatMap(({ prompt, steps }) =>
    steps.map((_step, at) => ({ prompt, completion: steps.slice(0, at + 1).join('\n\n') })),
  );
  const scores = await prefixScores(judge, prefixes);
  let next = 0;
  return items.map(({ steps }) => ({ by: 'prefix', scores: scores.slice(next, (next += steps.length)) }));
}

/**
 * Scores of steps: the probability that a judge of steps gives to each at its last token, each step on lines of
 * its own; for other judges the score of the answer up to each step, whose steps are paragraphs.
 */
export const stepScores = (judge: OpenedJudge, items: readonly Stepwise[]): Promise<StepScores[]> =>
  judge.output.kind === 'steps' ? byHead(judge, items) : byPrefix(judge, items);

/**
 * Both scores of the steps of one answer, at offsets `[start, end)` in it: of each prefix of the answer, and
 * for a judge of steps the probability of each step as in `stepScores`.
 */
export async function answerSteps(
  judge: OpenedJudge,
  { prompt, completion, ranges }: Prefix & { readonly ranges: readonly StepRange[] },
): Promise<AnswerStepScores> {
  const prefix = await prefixScores(
    judge,
    ranges.map(([, end]) => ({ prompt, completion: completion.slice(0, end) })),
  );
  if (judge.output.kind !== 'steps' || ranges.length === 0) return { prefix, head: null };
  const { steps } = stepsAt(completion, ranges);
  const [{ scores }] = await byHead(judge, [{ prompt, steps }]);
  return { prefix, head: scores };
}
