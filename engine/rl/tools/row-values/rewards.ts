import { WhetstoneError } from '../../../common/errors.ts';
import { promptIdOf } from '../../../random/hash.ts';
import {
  rewards,
  type AnswerRow,
  type RewardContext,
  type Scorer,
  type TextScorer,
} from '../../../rewards/index.ts';
import type { Device } from '../../../runtime/index.ts';
import type { RowValues, Value, ValueReward, ValueRow } from '../../../schema/row-values.ts';
import { checkpointOpener, openLikelihood, openTextScorer } from '../../evaluation/model-scorers.ts';

/** Rows scored at once. */
const BATCH = 64;

/** A row of data as a reward reads it. */
export const answerRow = ({ prompt, answer, reference }: ValueRow): AnswerRow => ({
  promptId: promptIdOf(prompt),
  prompt,
  completion: answer,
  reference,
  tokens: answer.length + 1,
  stopReason: 'end',
});

/**
 * Opens a reward for rows of data. Throws `not-found` for an unknown one, `unsupported` for one that compares
 * answers with others of a batch, or needs what rows of data lack.
 */
export async function openReward(
  device: Device,
  { id, params, checkpoints }: ValueReward,
): Promise<{ readonly scorer: Scorer; readonly needsReference: boolean }> {
  const find = (name: string) => {
    const reward = rewards.find((each) => each.id === name);
    if (!reward)
      throw new WhetstoneError('not-found', `There is no reward '${name}'.`, {
        where: 'reward',
        hint: `There are: ${rewards.map((each) => each.id).join(', ')}.`,
      });
    return reward;
  };
  const reward = find(id);
  if (reward.compares)
    throw new WhetstoneError('unsupported', `The reward '${id}' compares answers of a batch.`, {
      where: 'reward',
      hint: 'A column has one value per row: choose a reward of single answers.',
    });
  const resources = {
    checkpoints: Object.fromEntries(Object.entries(checkpoints).map(([key, place]) => [key, place.folder])),
    models: Object.fromEntries(
      Object.entries(checkpoints).map(([key, { base }]) => [key, { hash: '', ...(base && { base }) }]),
    ),
  };
  const context: RewardContext = {
    reference: true,
    checkpoint: checkpointOpener(device, resources, openTextScorer),
    policy: checkpointOpener(device, resources, openLikelihood),
    open: (inner, given) => find(inner).open(given, context),
  };
  return {
    scorer: await reward.open(params, context),
    needsReference: reward.needs.includes('reference'),
  };
}

/** Scores some rows; if they fail together, each alone, so that a fault names its row. */
async function scored(
  rows: readonly AnswerRow[],
  score: (rows: readonly AnswerRow[]) => Promise<Float64Array>,
): Promise<(number | string)[]> {
  try {
    return [...(await score(rows))];
  } catch (error) {
    const { kind, message } = WhetstoneError.from(error);
    if (!['invalid-input', 'numeric', 'unsupported'].includes(kind)) throw error;
    if (rows.length === 1) return [message];
    const each: (number | string)[] = [];
    for (const row of rows) each.push(...(await scored([row], score)));
    return each;
  }
}

/** The values of rows by a scorer, some at a time; `refuse` says why a row cannot be scored. */
export async function scoredValues(
  rows: readonly ValueRow[],
  score: (rows: readonly AnswerRow[]) => Promise<Float64Array>,
  refuse: (row: AnswerRow) => string | null,
  step: (done: number) => void,
): Promise<RowValues> {
  const values: Value[] = [];
  const faults: { row: number; message: string }[] = [];
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH).map(answerRow);
    const reasons = batch.map(refuse);
    const found = await scored(
      batch.filter((_, i) => reasons[i] === null),
      score,
    );
    for (const [i, reason] of reasons.entries()) {
      const value = reason ?? found.shift() ?? 'It was not scored.';
      const isNumber = typeof value === 'number' && Number.isFinite(value);
      values.push(isNumber ? value : null);
      if (!isNumber) faults.push({ row: from + i, message: String(value) });
    }
    step(values.length);
  }
  return { values, faults };
}

/** The reason for which a model cannot read a row whole; null if it can. */
export const unreadable =
  ({ room, unread }: TextScorer) =>
  (row: AnswerRow): string | null => {
    const missing = unread?.(row.completion) ?? '';
    if (missing !== '') return `The model’s alphabet lacks ${JSON.stringify(missing)}.`;
    const { tokens, context } = room?.(row) ?? { tokens: 0, context: Infinity };
    return tokens <= context
      ? null
      : `With its prompt the answer has ${tokens} tokens; the model reads ${context}.`;
  };
