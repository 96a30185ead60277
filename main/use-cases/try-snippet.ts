import type { EngineCalls } from '../../engine/schema/messages.ts';
import type { Services } from '../services/services.ts';

/** Rows of a dataset on which code is tried. */
const TRIED_ROWS = 5;

/** Answers on which code is tried: demonstrations of a world, or the first rows of a dataset. */
export type TriedOn =
  | { readonly kind: 'world'; readonly id: string; readonly params?: Readonly<Record<string, unknown>> }
  | { readonly kind: 'dataset'; readonly datasetId: string };

/**
 * Results of a reward's code on some answers of a task. A row without an answer is answered by its reference.
 * Throws `not-found` for an unknown world or dataset.
 */
export async function trySnippet(
  { store, engine }: Pick<Services, 'store' | 'engine'>,
  code: string,
  task: TriedOn,
): Promise<EngineCalls['trySnippet']['output']> {
  if (task.kind === 'world')
    return engine.call('trySnippet', { code, world: { id: task.id, params: task.params ?? {} } });
  const { rows } = await store.datasets.rows({
    id: task.datasetId,
    offset: 0,
    limit: TRIED_ROWS,
    search: '',
    show: 'all',
  });
  const answered = rows.map(({ promptId, prompt, answer, reference }) => ({
    promptId,
    prompt,
    answer: answer === '' ? (reference ?? '') : answer,
    reference,
  }));
  return engine.call('trySnippet', { code, rows: answered });
}
