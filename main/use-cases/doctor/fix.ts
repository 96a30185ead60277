import { personalData, promptIdOf } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CurationEvent } from '../../../preload/contract/curation.ts';
import type { FixProgress } from '../../../preload/contract/doctor.ts';
import { findingFacts, tagOf, type FindingId, type FixId } from '../../../preload/wire/findings.ts';
import { editCells, type RowEdit } from '../../services/curation.ts';
import type { StoreClient } from '../../store/client.ts';
import { rowsMatching } from '../reading.ts';

export interface FixInput {
  readonly id: string;
  readonly finding: FindingId;
  readonly fix: FixId;
  readonly version?: string | undefined;
  readonly author: string;
}

/**
 * Repairs a finding in one step of curation, and saves a version if one is named. Throws `invalid-input` for a
 * repair that the finding does not have, `conflict` before anything is changed if the rows were changed since
 * the examination or the version's name is taken.
 */
export async function fixFinding(
  store: StoreClient,
  { id, finding, fix, version, author }: FixInput,
  signal: AbortSignal,
  push: (progress: FixProgress) => void,
): Promise<void> {
  if (!findingFacts[finding].fixes.includes(fix))
    throw new WhetstoneError('invalid-input', `'${finding}' has no repair '${fix}'.`, {
      where: 'fix',
      hint: `It has: ${findingFacts[finding].fixes.join(', ')}.`,
    });
  await store.curation.settle(id);
  if (version !== undefined && (await store.versions.list(id)).some(({ name }) => name === version))
    throw new WhetstoneError('conflict', `There is a version '${version}' of this dataset.`, {
      where: version,
      hint: 'Versions do not change: use another name.',
    });
  const rows = await store.findings.target(id, finding, fix === 'exclude-rest' ? 'rest' : 'all');
  const by = { author, query: `finding:${finding}` };
  const event =
    rows.count === 0
      ? null
      : fix === 'mask'
        ? await masked(store, id, finding, by, signal, push)
        : await store.curation.mark(id, changeOf(finding, fix), rows, by);
  const saved =
    version === undefined
      ? null
      : await store.versions.save(id, version, await store.versions.content(id, null), author);
  push({ state: 'done', event, version: saved });
}

const changeOf = (finding: FindingId, fix: Exclude<FixId, 'mask'>) =>
  fix === 'tag' || fix === 'flag'
    ? { event: fix, value: tagOf(finding) }
    : { event: 'exclude' as const, value: null };

/** Replaces each place of personal data by its kind, such as [email]. */
export function maskedText(text: string): string {
  let masked = '';
  let from = 0;
  for (const { kind, start, end } of personalData(text)) {
    masked += `${text.slice(from, start)}[${kind}]`;
    from = end;
  }
  return masked + text.slice(from);
}

/** Masks prompts and answers; of a conversation, whose prompt is not edited, its last answer only. */
async function masked(
  store: StoreClient,
  id: string,
  finding: FindingId,
  by: { author: string; query: string },
  signal: AbortSignal,
  push: (progress: FixProgress) => void,
): Promise<CurationEvent | null> {
  const edits: RowEdit[] = [];
  for await (const rows of rowsMatching(store, id, `finding:${finding}`, signal))
    for (const { row, prompt, answer, messages } of rows) {
      const [to, answered] = [maskedText(prompt), maskedText(answer)];
      const isLast = messages === undefined || messages.at(-1)?.content === answer;
      if (answered !== answer && isLast) edits.push({ row, edit: { column: 'answer', value: answered } });
      if (to !== prompt && messages === undefined)
        edits.push({ row, edit: { column: 'prompt', value: to, promptId: promptIdOf(to) } });
    }
  const started = { event: 'edit' as const, field: 'answer', value: 'personal data masked' };
  return await editCells(store, { id, edits, event: started, by }, signal, push);
}
