import { createHash } from 'node:crypto';
import type { SuiteRecord } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { SuiteReport } from '../../../engine/schema/suite.ts';
import type { DatasetRow } from '../../../preload/contract/datasets.ts';
import type { StoreClient } from '../../store/client.ts';
import { mostItems, type SuiteFile } from './read.ts';

/** A dataset or label set of the workspace. */
export interface SuiteData {
  readonly kind: 'dataset' | 'label-set';
  readonly id: string;
}

type LeftOut = Pick<NonNullable<SuiteReport['data']>, 'ties' | 'skipped' | 'unpaired'>;
interface Pairs extends LeftOut {
  readonly name: string;
  readonly state: string;
  readonly records: readonly SuiteRecord[];
}

const pairOf = (right: DatasetRow, wrong: DatasetRow): SuiteRecord => ({
  place: `rows ${right.row + 1} and ${wrong.row + 1}`,
  value: {
    ...right.extra,
    source: right.source,
    id: `${right.row}/${wrong.row}`,
    prompt: right.prompt,
    chosen: right.answer,
    rejected: wrong.answer,
  },
});

/**
 * Pairs of the answers to one prompt: those of the same record, as preferences are imported; of other answers each
 * right one with each wrong one. Equal answers make no pair.
 */
function pairsOf(rows: readonly DatasetRow[]): SuiteRecord[] {
  const records = [...Map.groupBy(rows, ({ line }) => line).values()];
  const isPair = (own: readonly DatasetRow[]): boolean =>
    own.some(({ correct }) => correct === true) && own.some(({ correct }) => correct === false);
  const groups = [...records.filter(isPair), records.filter((own) => !isPair(own)).flat()];
  return groups.flatMap((own) =>
    own
      .filter(({ correct }) => correct === true)
      .flatMap((right) =>
        own
          .filter(({ correct, answer }) => correct === false && answer !== right.answer)
          .map((wrong) => pairOf(right, wrong)),
      ),
  );
}

const tooMany = (where: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `There are more than ${mostItems} pairs.`, {
    where,
    hint: 'Make a smaller dataset of them.',
  });

async function datasetPairs(store: StoreClient, id: string): Promise<Pairs> {
  const { name, sequence, version } = await store.deriving.state(id, null);
  const { rows } = await store.datasets.get(id);
  const records: SuiteRecord[] = [];
  const used = new Set<string>();
  for (let after: number | null = null, isMore = true; isMore;) {
    const page: Awaited<ReturnType<StoreClient['exporting']['prompts']>> = await store.exporting.prompts(
      id,
      after,
    );
    for (const group of page.items)
      for (const record of pairsOf(group)) {
        records.push(record);
        for (const row of String(record.value.id).split('/')) used.add(row);
      }
    if (records.length > mostItems) throw tooMany(name);
    after = page.next;
    isMore = after !== null;
  }
  const edited = sequence === 0 ? 'as imported' : `after step ${sequence} of its curation`;
  const state = version === null ? edited : `version “${version}”`;
  return { name, state, records, ties: 0, skipped: 0, unpaired: rows - used.size };
}

async function labelPairs(store: StoreClient, id: string): Promise<Pairs> {
  const { name, labeled, pairs } = await store.labelSets.get(id);
  const records: SuiteRecord[] = [];
  let [ties, skipped] = [0, 0];
  for (let after: number | null = null, isMore = true; isMore;) {
    const page: Awaited<ReturnType<StoreClient['exporting']['labels']>> = await store.exporting.labels(
      id,
      after,
    );
    for (const { pairId, prompt, a, b, verdict, about } of page.items)
      if (verdict === 'skip') skipped += 1;
      else if (verdict !== 'a' && verdict !== 'b') ties += 1;
      else {
        const [chosen, rejected] = verdict === 'a' ? [a, b] : [b, a];
        records.push({ place: `pair ${pairId}`, value: { ...about, id: pairId, prompt, chosen, rejected } });
      }
    if (records.length > mostItems) throw tooMany(name);
    after = page.next;
    isMore = after !== null;
  }
  return { name, state: `${labeled} of ${pairs} labeled`, records, ties, skipped, unpaired: 0 };
}

/**
 * The pairs of a dataset or label set as items of a gold set, as they are now. Throws `not-found`, and
 * `invalid-input` without a pair or for more than 50,000.
 */
export async function workspaceSuite(store: StoreClient, { kind, id }: SuiteData): Promise<SuiteFile> {
  const found = await (kind === 'dataset' ? datasetPairs(store, id) : labelPairs(store, id));
  const { name, records, ...about } = found;
  if (records.length === 0)
    throw new WhetstoneError('invalid-input', `“${name}” has no pair of a chosen and a rejected answer.`, {
      where: id,
      hint:
        kind === 'dataset'
          ? 'Choose a dataset of preferences, or of answers marked right and wrong.'
          : 'Decide for one side in some pairs on the Label screen first.',
    });
  const fileHash = createHash('sha256');
  for (const { value } of records) fileHash.update(`${JSON.stringify(value)}\n`);
  const data = { kind, id, ...about };
  return { file: name, fileHash: fileHash.digest('hex'), records, report: null, data };
}
