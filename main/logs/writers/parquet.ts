import { ByteWriter, ParquetWriter, schemaFromColumnData, type ColumnSource } from 'hyparquet-writer';
import type { Series } from '../../../preload/contract/runs.ts';
import type { CurveWriter, RunCurves } from './writer.ts';

/** Most points of a row group, which is built in memory. */
const GROUP = 100_000;

/** Points of one series of one run. */
interface Part {
  readonly curves: RunCurves;
  readonly series: Series;
}

const columnsOf = (parts: readonly Part[]): ColumnSource[] => {
  const each = <T>(value: (part: Part, i: number) => T): T[] =>
    parts.flatMap((part) => Array.from(part.series.steps, (_step, i) => value(part, i)));
  return [
    {
      name: 'run',
      type: 'STRING',
      data: each(({ curves: { run } }) => run.name || run.method),
      nullable: false,
    },
    { name: 'run_id', type: 'STRING', data: each(({ curves }) => curves.run.id), nullable: false },
    { name: 'metric', type: 'STRING', data: each(({ series }) => series.name), nullable: false },
    { name: 'step', type: 'INT64', data: each(({ series }, i) => BigInt(series.steps[i])), nullable: false },
    {
      name: 'time',
      type: 'TIMESTAMP',
      data: each(({ series }, i) => (Number.isFinite(series.at[i]) ? new Date(series.at[i]) : null)),
      nullable: true,
    },
    { name: 'value', type: 'DOUBLE', data: each(({ series }, i) => series.values[i]), nullable: false },
  ];
};

/** A series in parts of at most so many points. */
function* divided({ curves, series }: Part): Generator<Part> {
  for (let from = 0; from < series.steps.length; from += GROUP) {
    const some = (all: Series['steps']): Series['steps'] => all.subarray(from, from + GROUP);
    yield {
      curves,
      series: { ...series, steps: some(series.steps), at: some(series.at), values: some(series.values) },
    };
  }
}

/** Takes the bytes that the writer has collected, and empties it. */
const taken = (writer: ByteWriter): Uint8Array => {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
};

/** Parquet with Snappy: one row per point. */
export const parquet: CurveWriter = {
  async *file(runs) {
    const bytes = new ByteWriter();
    const schema = schemaFromColumnData({ columnData: columnsOf([]) });
    const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'whetstone' });
    let [parts, points]: [Part[], number] = [[], 0];
    const group = (): Uint8Array => {
      void file.write({ columnData: columnsOf(parts), rowGroupSize: points });
      [parts, points] = [[], 0];
      return taken(bytes);
    };
    for (const curves of runs)
      for await (const window of curves.windows())
        for (const series of window)
          for (const part of divided({ curves, series })) {
            if (points + part.series.steps.length > GROUP && points > 0) yield group();
            parts.push(part);
            points += part.series.steps.length;
          }
    if (points > 0) yield group();
    void file.finish();
    yield taken(bytes);
  },
};
