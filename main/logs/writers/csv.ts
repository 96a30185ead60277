import { CHUNK, numberText, rowsOf, type Chunks, type CurveWriter } from './writer.ts';

/** A cell of RFC 4180. */
const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
const timeOf = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : '');

/** Lines in chunks. */
async function* joined(lines: AsyncIterable<string>): Chunks {
  let text = '';
  for await (const each of lines) {
    text += each;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** One row per point. */
export const csv: CurveWriter = {
  file: (runs) =>
    joined(
      (async function* () {
        yield line(['run', 'run_id', 'metric', 'step', 'time', 'value']);
        for (const { run, windows } of runs) {
          const lead = [cell(run.name || run.method), run.id];
          for await (const window of windows())
            for (const { name, steps, at, values } of window)
              for (let i = 0; i < steps.length; i += 1)
                yield line([...lead, cell(name), String(steps[i]), timeOf(at[i]), numberText(values[i])]);
        }
      })(),
    ),
};

/** One row per step, one column per metric. */
export const csvWide: CurveWriter = {
  file: (runs, metrics) =>
    joined(
      (async function* () {
        yield line(['run', 'run_id', 'step', ...metrics.map(cell)]);
        for (const { run, windows } of runs) {
          const lead = [cell(run.name || run.method), run.id];
          for await (const window of windows()) {
            const columns = metrics.map((name) => window.findIndex((series) => series.name === name));
            for (const { step, places } of rowsOf(window))
              yield line([
                ...lead,
                String(step),
                ...columns.map((i) =>
                  i < 0 || places[i] < 0 ? '' : numberText(window[i].values[places[i]]),
                ),
              ]);
          }
        }
      })(),
    ),
};
