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
 * same answers to a prompt, whatever the other prompts are.
 */
export async function answersOfModel(
  services: Services,
  from: FromModel,
  signal: AbortSignal,
  each: (batch: Batch) => Promise<void>,
): Promise<void> {
  const place = await placeOf(services, from.model);
  const source = from.reward ? await sourceOf(services, { by: 'reward', reward: from.reward }) : null;
  const rows = await distinct(services, from, signal);
  const step = Math.max(1, Math.floor(atOnce / from.samples));
  await services.engine.dedicated(signal, async (call) => {
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
  });
}

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
