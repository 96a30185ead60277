import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { AnswersFrom } from '../../../preload/contract/answers.ts';
import type { Services } from '../../services/services.ts';
import { cancelled } from '../reading.ts';
import { indexSamples } from '../sample-index.ts';
import { rowOf, type Batch } from './of-run.ts';

/** Answers read at once. */
const PAGE = 500;

/**
 * The sampled answers of runs that match a query, in its order, with their scores; of equal ones the newest
 * with their number, if equal ones are wanted once. Throws `not-found` if none matches.
 */
export async function* answersOfSamples(
  services: Services,
  { kind: _kind, ...selection }: Extract<AnswersFrom, { kind: 'samples' }>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const { store } = services;
  const runs = await Promise.all(selection.runIds.map((id) => store.runs.get(id)));
  const names = new Map(runs.map(({ id, name }) => [id, name]));
  await indexSamples(services, { runIds: selection.runIds, texts: false }, signal, () => undefined);
  let asOf: number[] | null = null;
  for (let done = 0, isMore = true; isMore;) {
    if (signal.aborted) throw cancelled();
    const page = await store.sampled.page({ ...selection, asOf, offset: done, limit: PAGE });
    if (page.samples.length === 0 && done === 0)
      throw new WhetstoneError('not-found', 'No stored answer matches.', {
        where: 'query',
        hint: 'Choose others: the run’s samples show which there are.',
      });
    // a run that goes on gets more meanwhile
    asOf ??= page.asOf;
    done += page.samples.length;
    isMore = page.more && page.samples.length > 0;
    const rows = page.samples.map(({ copies, ...sample }) => {
      const row = rowOf(sample, names.get(sample.runId) ?? sample.runId);
      return selection.view === 'distinct' ? { ...row, extra: { ...row.extra, copies } } : row;
    });
    yield { rows, done, total: Math.max(done, page.total ?? done + Number(isMore)), faults: 0 };
  }
}
