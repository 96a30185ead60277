import { resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { encoded, pairsOfPrompt, Tally, writers, type ExportItem, type Writer } from '../../engine/index.ts';
import type {
  ExportFormat,
  ExportResult,
  ExportSource,
  FileProgress,
} from '../../preload/contract/exports.ts';
import type { StoreClient } from '../store/client.ts';
import { writeWhole } from '../store/files.ts';

/** The choices for pages and programs. */
export const exportFormats: readonly ExportFormat[] = writers.map(
  ({ id, title, extension, cannotHold, fromRow, fromPair, fromAnswer }) => ({
    id,
    title,
    extension,
    cannotHold,
    from: [
      ...(fromRow ? ['rows' as const] : fromPair ? ['pairs' as const] : []),
      ...(fromPair ? ['label-set' as const] : []),
    ],
    ...(fromAnswer && { answers: [...fromAnswer.modes] }),
  }),
);

/** The items of one page after the other. */
async function* paged<T>(
  read: (after: number | null) => Promise<{ readonly items: readonly T[]; readonly next: number | null }>,
): AsyncGenerator<T> {
  for (let after: number | null = null; ;) {
    const page = await read(after);
    yield* page.items;
    if (page.next === null) return;
    after = page.next;
  }
}

async function* itemsOf(
  { exporting, judgedAnswers }: StoreClient,
  { kind, id }: ExportSource,
  writer: Writer,
  mode: string,
): AsyncGenerator<ExportItem> {
  if (kind === 'label-set' && takesAnswers(writer, mode)) {
    for await (const answer of paged((after) => judgedAnswers.page(id, after))) yield { answer };
  } else if (kind === 'label-set') {
    for await (const pair of paged((after) => exporting.labels(id, after))) yield { pair };
  } else if (writer.fromRow) {
    for await (const row of paged((after) => exporting.rows(id, after))) yield { row };
  } else {
    for await (const rows of paged((after) => exporting.prompts(id, after)))
      for (const pair of pairsOfPrompt(rows, rows[0].promptId)) yield { pair };
  }
}

const takesAnswers = ({ fromAnswer }: Writer, mode: string): boolean =>
  fromAnswer?.modes.some((each) => each === mode) ?? false;

/** True if a format can hold anything of a set in this mode, or of a dataset. */
const fits = (writer: Writer, kind: ExportSource['kind'], mode: string): boolean =>
  kind === 'dataset'
    ? writer.fromRow !== undefined || writer.fromPair !== undefined
    : takesAnswers(writer, mode) || (writer.fromPair !== undefined && mode !== 'spans');

const writerOf = (format: string, { kind }: ExportSource, mode: string): Writer => {
  const isLabels = kind === 'label-set';
  const fitting = writers.filter((writer) => fits(writer, kind, mode));
  const writer = fitting.find(({ id }) => id === format);
  if (writer) return writer;
  throw new WhetstoneError(
    'invalid-input',
    `There is no format '${format}' for ${isLabels ? 'labels' : 'datasets'}.`,
    { where: format, hint: `There are: ${fitting.map(({ id }) => id).join(', ')}.` },
  );
};

export interface FileExport {
  readonly from: ExportSource;
  readonly format: string;
  readonly path: string;
}

/** The mode of a set; `pair` for a dataset. Throws `not-found`. */
async function modeOf(store: StoreClient, { kind, id }: ExportSource): Promise<string> {
  if (kind === 'label-set') return (await store.labelSets.get(id)).mode ?? 'pair';
  await store.datasets.get(id);
  return 'pair';
}

/** Records between two reports. */
const REPORTED = 500;

/**
 * Writes a dataset or a label set into a file, whole or not at all. Throws `invalid-input` for an unknown
 * format or if the format can hold none of it, `not-found`, `disk-full`, `cancelled`.
 */
export async function exportFile(
  store: StoreClient,
  { from, format, path }: FileExport,
  signal: AbortSignal,
  report: (progress: FileProgress) => void,
): Promise<ExportResult> {
  const target = resolve(path);
  const mode = await modeOf(store, from);
  const writer = writerOf(format, from, mode);
  const tally = new Tally();
  const items = async function* (): AsyncGenerator<ExportItem> {
    let seen = 0;
    for await (const item of itemsOf(store, from, writer, mode)) {
      if (signal.aborted)
        throw new WhetstoneError('cancelled', 'The export was cancelled.', { where: target });
      if (++seen % REPORTED === 0) report({ state: 'writing', records: tally.records });
      yield item;
    }
    if (tally.records === 0 && seen === 0) throw nothingToWrite(from, writer);
  };
  await writeWhole(
    target,
    whole(encoded(writer, items, tally), tally, () => nothingHeld(tally, from, writer)),
  );
  const leftOut = [...tally.leftOut].map(([what, count]) => ({ what, count }));
  const result = { path: target, records: tally.records, leftOut, cannotHold: writer.cannotHold };
  report({ state: 'done', result });
  return result;
}

/** The chunks; throws at the end if no record was written, so that no empty file replaces another. */
async function* whole(
  chunks: AsyncIterable<Uint8Array | string>,
  tally: Tally,
  fault: () => WhetstoneError,
): AsyncGenerator<Uint8Array | string> {
  yield* chunks;
  if (tally.records === 0) throw fault();
}

const nothingToWrite = ({ kind, id }: ExportSource, writer: Writer): WhetstoneError => {
  const isPairs = kind === 'dataset' && !writer.fromRow;
  return new WhetstoneError(
    'invalid-input',
    isPairs
      ? 'This dataset has no prompt with both a right and a wrong answer, so it gives no preference pairs.'
      : kind === 'dataset'
        ? 'The dataset has no rows.'
        : 'No item of this label set is labeled yet.',
    {
      where: id,
      hint: isPairs ? 'Export its rows, or label pairs of it on the Label screen.' : 'Nothing was written.',
    },
  );
};

const nothingHeld = ({ leftOut }: Tally, { id }: ExportSource, { title }: Writer): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `${title} can hold none of this: left out were ${leftOutText(leftOut)}. Nothing was written.`,
    { where: id, hint: 'Choose another format.' },
  );

const leftOutText = (leftOut: ReadonlyMap<string, number>): string =>
  [...leftOut].map(([what, count]) => `${count} ${what}`).join(', ');
