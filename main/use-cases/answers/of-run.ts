import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { AnswersFrom } from '../../../preload/contract/answers.ts';
import type { Sample } from '../../../preload/contract/runs.ts';
import type { StoreClient } from '../../store/client.ts';
import { verdictOf } from '../../store/sampled/verdict.ts';
import type { AnswerRow } from './staged.ts';

/** Samples read at once. */
const PAGE = 500;

/** A batch of answers, and how far the work is. */
export interface Batch {
  readonly rows: readonly AnswerRow[];
  readonly done: number;
  readonly total: number;
  readonly faults: number;
}

/**
 * The stored answers of a run in the order of its steps. Of a step that was repeated after a resume, the last
 * attempt counts. Throws `not-found` for a run without answers.
 */
export async function* answersOfRun(
  store: StoreClient,
  { runId, purpose }: Extract<AnswersFrom, { kind: 'run' }>,
): AsyncGenerator<Batch> {
  const run = await store.runs.get(runId);
  const filter = {
    runIds: [runId],
    purpose: purpose ?? null,
    promptId: null,
    order: 'oldest',
    limit: PAGE,
  } as const;
  let held: Sample[] = [];
  let done = 0;
  for (let offset = 0, total = 1; offset < total;) {
    const page = await store.samples.query({ ...filter, step: null, offset });
    total = page.total;
    if (page.samples.length === 0) break;
    offset += page.samples.length;
    const [steps, last] = byStep([...held, ...page.samples], offset >= total);
    held = last;
    done += steps.length;
    if (steps.length > 0)
      yield { rows: steps.map((sample) => rowOf(sample, run.name)), done: offset, total, faults: 0 };
  }
  if (done === 0)
    throw new WhetstoneError('not-found', 'The run has stored no such answers.', {
      where: runId,
      hint: 'Methods that learn from stored data sample none.',
    });
}

/** The newest attempt of each step that is complete, and the samples of the step that more may follow. */
function byStep(samples: readonly Sample[], isLast: boolean): [Sample[], Sample[]] {
  const open = isLast ? null : samples[samples.length - 1].step;
  const complete = samples.filter(({ step }) => step !== open);
  const newest = new Map<string, number>();
  const key = ({ step, purpose }: Sample): string => `${step}/${purpose}`;
  for (const sample of complete)
    newest.set(key(sample), Math.max(newest.get(key(sample)) ?? 0, sample.attempt));
  return [
    complete.filter((sample) => sample.attempt === newest.get(key(sample))),
    samples.filter(({ step }) => step === open),
  ];
}

/** The row of a dataset for an answer of the run of this name. */
export const rowOf = (
  { id, promptId, prompt, shown, completion, scores, step, purpose, runId, sample, origin, reply }: Sample,
  run: string,
): AnswerRow => {
  const finite = Object.entries(scores).filter(
    ([name, value]) => Number.isFinite(value) && !name.endsWith('/failed'),
  );
  const total = scores.total ?? finite[0]?.[1];
  return {
    promptId,
    prompt,
    answer: completion,
    reference: null,
    correct: verdictOf(scores),
    source: run,
    extra: {
      ...Object.fromEntries(
        finite.filter(([name]) => name !== 'total').map(([name, value]) => [`score ${name}`, value]),
      ),
      ...(total !== undefined && Number.isFinite(total) && { reward: total }),
      step,
      purpose,
      sample,
      run: runId,
      'answer id': id,
      ...(shown !== undefined && { shown }),
      ...(reply !== undefined && { reply }),
      ...(origin && {
        ...(origin.parent !== null && { 'parent answer': origin.parent }),
        ...(origin.startState !== null && { 'start state': origin.startState }),
        'given tokens': origin.tokens,
      }),
    },
  };
};
