import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Mapping } from '../../engine/schema/mapping.ts';
import type { Dataset, ImportPreview } from '../../preload/contract/datasets.ts';
import type { Workbench } from '../services/workbench.ts';

export interface FileToImport {
  readonly path: string;
  readonly name?: string;
  readonly keepGoodLines: boolean;
  readonly mapping?: Mapping;
}

/**
 * Imports a file for the command line: prints the use of its columns and lines, then stores it. Throws
 * `invalid-input` before anything is stored if lines cannot be read and `keepGoodLines` is off.
 */
export async function importWithLog(
  { api }: Workbench,
  file: FileToImport,
  log: (text: string) => void,
): Promise<Dataset> {
  const { path, name = '', keepGoodLines, mapping } = file;
  const { signal } = new AbortController();
  for await (const progress of api.datasets.preview({ path, mapping }, signal)) {
    if (progress.state !== 'done') continue;
    planOf(progress.preview).forEach((line) => log(line));
    if (faulty(progress.preview.doctor) > 0 && !keepGoodLines) throw refusal(progress.preview);
  }
  let last = '';
  for await (const progress of api.datasets.import({ path, name, keepGoodLines, mapping }, signal)) {
    if (progress.state === 'done') return progress.dataset;
    const now =
      `import: ${progress.rows} rows, ` +
      `${Math.round((100 * progress.bytes) / Math.max(1, progress.totalBytes))} %`;
    if (now !== last) log(now);
    last = now;
  }
  throw new WhetstoneError('internal', 'the import ended without a dataset', { where: path });
}

/** Lines that refuse an import: all rejected ones but pairs that lack an answer. */
const faulty = ({ rejected, aside = 0 }: ImportPreview['doctor']): number => rejected - aside;

/** Broken lines printed individually. */
const LINES_PRINTED = 5;

/** The plan of an import, as lines of text. */
export const planOf = ({ doctor, rejected }: ImportPreview): string[] => {
  const lines = rejected.slice(0, LINES_PRINTED).map(({ line, reason }) => `  line ${line} ${reason}`);
  const more = doctor.rejected - lines.length;
  return [
    `${doctor.format}: ${doctor.why}`,
    ...columnLines(doctor),
    ...(doctor.rejected > 0
      ? [`${doctor.rejected} of ${doctor.rows + doctor.rejected} lines cannot be read:`, ...lines]
      : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
};

const columnLines = ({ columns, rows }: ImportPreview['doctor']): string[] => {
  const used = columns
    .filter((column) => column.used > 0)
    .map(
      ({ name, as, kept }) =>
        `"${name}" as ${as}${kept > 0 ? ` (in ${kept} records kept beside the row instead)` : ''}`,
    );
  const kept = columns
    .filter((column) => column.used === 0 && column.kept > 0)
    .map(
      ({ name, kept: records }) => `"${name}"${records < rows ? ` (in ${records} of ${rows} records)` : ''}`,
    );
  const left = columns
    .filter((column) => column.used === 0 && column.kept === 0)
    .map(({ name }) => `"${name}"`);
  return [
    `Columns used: ${used.join('; ')}.`,
    ...(kept.length > 0 ? [`Columns kept beside the row: ${kept.join(', ')}.`] : []),
    ...(left.length > 0
      ? [`Columns left out, since no record has a value in them: ${left.join(', ')}.`]
      : []),
  ];
};

const refusal = ({ path, doctor, rejected: [first] }: ImportPreview): WhetstoneError => {
  const share = `${doctor.rejected} of ${doctor.rows + doctor.rejected} lines cannot be read`;
  return new WhetstoneError(
    'invalid-input',
    `${share}; the first: line ${first.line} ${first.reason}. Nothing was stored.`,
    {
      where: `${path}:${first.line}`,
      hint: `Correct them, or import the ${doctor.rows} good lines with --keep-good-lines.`,
    },
  );
};
