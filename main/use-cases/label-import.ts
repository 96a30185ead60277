import { basename, resolve } from 'node:path';
import { itemKey, readLabels, textHash, type FileLabel } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ImportProgress, LabelImport, Refused } from '../../preload/contract/label-import.ts';
import type { StoreClient } from '../store/client.ts';
import type { HashedLabel, ImportPlan } from '../store/labels/label-import.ts';

export interface LabelImportChoice {
  readonly setId: string;
  readonly path: string;
  /** The labeler of all labels, in place of those in the file. */
  readonly as?: string;
  readonly isPreview: boolean;
}

/** Most labels of one file; they are matched in memory. */
const MOST = 200_000;
/** Lines that are shown of each kind. */
const SHOWN = 20;
/** The labeler of labels that name none. */
const UNNAMED = 'imported';

const hashed = (label: FileLabel, as: string | undefined): HashedLabel => {
  const { line, id, prompt, texts, labeler, at, rationale } = label;
  const hashes = texts.map(textHash);
  return {
    line,
    id,
    key: itemKey(prompt, hashes),
    hashes,
    verdict: 'verdict' in label ? label.verdict : null,
    value: 'value' in label ? label.value : null,
    labeler: as ?? labeler ?? UNNAMED,
    at,
    rationale,
  };
};

const aside = (all: readonly Refused[]) => ({ count: all.length, first: all.slice(0, SHOWN) });

/** The kind of decisions that a set takes from files. Throws `unsupported` for the other modes. */
const takenBy = (mode: string, setId: string): 'pairs' | 'answers' => {
  if (mode === 'pair') return 'pairs';
  if (mode === 'correctness' || mode === 'spans') return 'answers';
  throw new WhetstoneError('unsupported', `A set in the mode “${mode}” takes no labels from files.`, {
    where: setId,
    hint: 'Import them into a set of pairs, of correctness or of spans.',
  });
};

/**
 * Reads a file of labels and stores those that are new to a set; all are checked before. Throws `invalid-input` for a
 * file that holds none, `not-found`, `unsupported`, `cancelled`; nothing is stored then.
 */
export async function importLabels(
  store: StoreClient,
  { setId, path, as, isPreview }: LabelImportChoice,
  signal: AbortSignal,
  report: (progress: ImportProgress) => void,
): Promise<LabelImport> {
  const source = resolve(path);
  const { mode = 'pair' } = await store.labelSets.get(setId);
  const labels: HashedLabel[] = [];
  const unread: Refused[] = [];
  for await (const batch of readLabels(source, takenBy(mode, setId), signal)) {
    for (const label of batch.labels) labels.push(hashed(label, as));
    unread.push(...batch.unread);
    if (labels.length > MOST)
      throw new WhetstoneError('invalid-input', `The file has more than ${MOST} labels.`, {
        where: source,
        hint: 'Divide it, and import the parts one after the other.',
      });
    report({ state: 'reading', labels: labels.length });
  }
  if (labels.length === 0) throw noLabels(source, unread);
  const plan = await store.labelImport.plan(setId, labels);
  if (signal.aborted) throw new WhetstoneError('cancelled', 'The import was cancelled.', { where: source });
  const isStored = !isPreview && plan.additions.length > 0;
  if (isStored) await store.labelImport.store(setId, plan.additions, basename(source));
  const result = resultOf(plan, labels.length, unread, isStored);
  report({ state: 'done', result });
  return result;
}

const noLabels = (where: string, [first]: readonly Refused[]): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `The file has no label for this set.${first ? ` Line ${first.line} ${first.reason}.` : ''}`,
    { where, hint: 'Nothing was stored.' },
  );

const resultOf = (
  { additions, already, unmatched, contradictory, invalid }: ImportPlan,
  labels: number,
  unread: readonly Refused[],
  isStored: boolean,
): LabelImport => ({
  labels,
  added: additions.length,
  stored: isStored,
  already,
  unmatched: aside(unmatched),
  contradictory: aside(contradictory),
  invalid: aside([...unread, ...invalid]),
  labelers: [...new Set(additions.map(({ labeler }) => labeler))].sort().slice(0, SHOWN),
});
