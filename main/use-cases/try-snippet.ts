import type { EngineCalls } from '../../engine/schema/messages.ts';
import type { TriedOn } from '../../preload/wire/tried-on.ts';
import type { Services } from '../services/services.ts';

/** Rows of a dataset on which code is tried: the first that have a text, of those read. */
const TRIED_ROWS = 5;
const READ_ROWS = 50;
/** Longest answer that is tried, in characters: a policy writes shorter ones. */
const LONGEST = 20_000;

/**
 * Results of a reward's code on some answers of a task. A row without an answer is answered by its reference; one
 * without both, an excluded one, and one with a very long answer are not tried. Throws `not-found` for an unknown
 * world or dataset.
 */
export async function trySnippet(
  { store, engine }: Pick<Services, 'store' | 'engine'>,
  code: string,
  task: TriedOn,
): Promise<EngineCalls['trySnippet']['output']> {
  if (task.kind === 'world')
    return engine.call('trySnippet', { code, world: { id: task.id, params: task.params ?? {} } });
  const { rows } = await store.rows.page({
    id: task.datasetId,
    query: '',
    sort: null,
    offset: 0,
    limit: READ_ROWS,
  });
  const answered = rows
    .map(({ promptId, prompt, answer, reference }) => ({
      promptId,
      prompt,
      answer: answer === '' ? (reference ?? '') : answer,
      reference,
    }))
    .filter(({ answer }) => answer !== '' && answer.length <= LONGEST)
    .slice(0, TRIED_ROWS);
  return engine.call('trySnippet', { code, rows: answered });
}
