import { basename } from 'node:path';
import { openSource, type SuiteRecord } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { SuiteReport } from '../../../engine/schema/suite.ts';

/** Most items of a suite, and characters of one. */
export const mostItems = 50_000;
const RECORD = 64_000_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Items of a file or of the workspace, or a report. */
export interface SuiteFile {
  readonly file: string;
  readonly fileHash: string;
  readonly records: readonly SuiteRecord[];
  readonly report: SuiteReport | null;
  /** Of items that are from the workspace. */
  readonly data?: SuiteReport['data'];
}

/**
 * Reads a file of any format of datasets. Throws `not-found`, `invalid-input` for a broken line or more than 50,000
 * items, `unsupported` for a report of another version.
 */
export async function readSuite(path: string): Promise<SuiteFile> {
  await using source = await openSource(path);
  const records: SuiteRecord[] = [];
  for await (const found of source.records({ recordCharacters: RECORD }))
    for (const each of found) {
      const place = each.place ?? `line ${each.line}`;
      if ('reason' in each)
        throw new WhetstoneError('invalid-input', `In ${basename(path)}, ${place} ${each.reason}.`, {
          where: path,
          hint: each.hint ?? 'Correct the line, or remove it.',
        });
      if (!isRecord(each.value)) continue;
      records.push({ place, value: each.value });
      if (records.length > mostItems)
        throw new WhetstoneError('invalid-input', `The file has more than ${mostItems} items.`, {
          where: path,
          hint: 'Divide it into several files.',
        });
    }
  const file = { file: basename(path), fileHash: await source.hash(), records };
  const format = records.length === 1 ? records[0].value.format : undefined;
  return { ...file, report: typeof format === 'string' ? reportOf(records[0].value, path) : null };
}

function reportOf(value: unknown, path: string): SuiteReport {
  const read = SuiteReport.safeParse(value);
  if (read.success) return read.data;
  throw new WhetstoneError('unsupported', 'The file is no report of a suite that this version can read.', {
    where: path,
    hint: read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
  });
}
