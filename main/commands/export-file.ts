import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ExportResult, ExportSource } from '../../preload/contract/exports.ts';
import { openServices } from '../headless/open.ts';
import { onInterrupt, text, type Answer, type Values } from './command.ts';

/** Writes a dataset or a label set into a file; Ctrl+C cancels it, and leaves no file. */
export async function exportToFile(
  { from, path, values }: { readonly from: ExportSource; readonly path: string; readonly values: Values },
  log: (text: string) => void,
): Promise<Answer> {
  const bench = await openServices({ workspacePath: text(values, 'workspace') });
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  try {
    const input = { from, path, format: text(values, 'format', 'jsonl') };
    for await (const progress of bench.api.exports.write(input, stop.signal)) {
      if (progress.state === 'done') return { value: progress.result, text: summary(progress.result) };
      log(`export: ${progress.records} records`);
    }
    throw new WhetstoneError('cancelled', 'The export was cancelled; no file was written.', { where: path });
  } finally {
    release();
    await bench.close();
  }
}

const summary = ({ path, records, leftOut, cannotHold }: ExportResult): string => {
  const left = leftOut.map(({ what, count }) => `${count} ${what}`).join(', ');
  return `${records} records written to ${path}. ${left === '' ? '' : `Left out: ${left}. `}${cannotHold}`;
};
