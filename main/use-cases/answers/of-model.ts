import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ModelPlace } from '../../../engine/schema/messages.ts';
import type { ValueSource } from '../../../engine/schema/row-values.ts';
import type { AnswersFrom } from '../../../preload/contract/answers.ts';
import type { QueryRow } from '../../../preload/contract/rows.ts';
import type { EngineCall } from '../../engine-host/host.ts';
import { placeOf } from '../../services/opened-model.ts';
import type { Services } from '../../services/services.ts';
import { sourceOf } from '../columns/source.ts';
import { rowsMatching } from '../reading.ts';
import type { Batch } from './of-run.ts';
import type { AnswerRow } from './staged.ts';

type FromModel = Extract<AnswersFrom, { kind: 'model' }>;
/** Answers written by one call, and fewest prompts of one. */
const atOnce = 64;
/** Prompts checked by one call. */
const checkedAtOnce = 2000;

/** A prompt without answers. */
export interface LeftOutPrompt {
  /** The first row with this prompt. */
  readonly row: number;
  readonly message: string;
}

/** Rows with distinct prompts, in their order. */
async function distinct(
  services: Services,
  { datasetId, query }: FromModel,
  signal: AbortSignal,
): Promise<QueryRow[]> {
  const prompts = new Map<string, QueryRow>();
  for await (const rows of rowsMatching(services.store, datasetId, query, signal))
    for (const row of rows) if (!prompts.has(row.promptId)) prompts.set(row.promptId, row);
  return [...prompts.values()];
}

/**
 * Answers of a model to each distinct prompt of the rows, in a process of their own. The same seed gives the
 * same answers to a prompt, whatever the other prompts are. Returns the prompts that the model cannot answer.
 * Throws `invalid-input` if it can answer none.
 */
export async function answersOfModel(
  services: Services,
  from: FromModel,
  signal: AbortSignal,
  each: (batch: Batch) => Promise<void>,
): Promise<LeftOutPrompt[]> {
  const place = await placeOf(services, from.model);
  const source = from.reward ? await sourceOf(services, { by: 'reward', reward: from.reward }) : null;
  const all = await distinct(services, from, signal);
  const step = Math.max(1, Math.floor(atOnce / from.samples));
  return services.engine.dedicated(signal, async (call) => {
    const { rows, leftOut } = await answerable(call, place, all, from.maxTokens);
    for (let at = 0; at < rows.length; at += step) {
      const some = rows.slice(at, at + step);
      const { samples, temperature, maxTokens, seed } = from;
      const answers = await call('generate', {
        checkpoint: place.folder,
        ...(place.base && { base: place.base }),
        prompts: some.map(({ prompt }) => prompt),
        samples,
        temperature,
        maxTokens,
        seed,
      });
      const unscored = answers.map(({ completion, logp }, i): AnswerRow => {
        const { promptId, prompt, reference } = some[Math.floor(i / samples)];
        const extra = { sample: i % samples, logp, model: from.model.id, seed, temperature };
        return {
          promptId,
          prompt,
          answer: completion,
          reference,
          correct: null,
          source: `${from.model.kind} ${from.model.id}`,
          extra,
        };
      });
      const scored = source ? await withRewards(call, source, unscored) : { rows: unscored, faults: 0 };
      await each({ ...scored, done: Math.min(rows.length, at + step), total: rows.length });
    }
    return leftOut;
  });
}

/** The rows whose prompts the model can answer, and the others. Throws `invalid-input` if there are others only. */
async function answerable(
  call: EngineCall,
  place: ModelPlace,
  all: readonly QueryRow[],
  maxTokens: number,
): Promise<{ rows: QueryRow[]; leftOut: LeftOutPrompt[] }> {
  const faults = new Map<number, string>();
  for (let from = 0; from < all.length; from += checkedAtOnce) {
    const prompts = all.slice(from, from + checkedAtOnce).map(({ prompt }) => prompt);
    for (const { at, message } of await call('promptFaults', { ...place, prompts, maxTokens }))
      faults.set(from + at, message);
  }
  const leftOut = [...faults].map(([at, message]) => ({ row: all[at].row, message }));
  if (all.length > 0 && leftOut.length === all.length) throw noneAnswerable(leftOut);
  return { rows: all.filter((_, at) => !faults.has(at)), leftOut };
}

const noneAnswerable = (leftOut: readonly LeftOutPrompt[]): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `The model can answer none of the ${leftOut.length} prompts. ${leftOut[0].message}`,
    { where: `row ${leftOut[0].row + 1}`, hint: 'Choose other rows, shorter answers or another model.' },
  );

/** The answers with their rewards, by which those of 1 are right and those of 0 wrong. */
async function withRewards(
  call: EngineCall,
  source: ValueSource,
  rows: readonly AnswerRow[],
): Promise<{ rows: AnswerRow[]; faults: number }> {
  const { values, faults } = await call('rowValues', {
    source,
    rows: rows.map((row) => ({ ...row, extra: row.extra ?? {} })),
  });
  return {
    rows: rows.map((row, at) => {
      const value = values[at];
      if (typeof value !== 'number') return row;
      return {
        ...row,
        correct: value === 1 ? true : value === 0 ? false : null,
        extra: { ...row.extra, reward: value },
      };
    }),
    faults: faults.length,
  };
}
