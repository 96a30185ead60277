import { join } from 'node:path';
import type { Run, Series } from '../../../preload/contract/runs.ts';
import { sha256 } from '../../store/json.ts';
import { LevelDbFraming } from '../formats/leveldb-log.ts';
import { isObject } from '../formats/loose-json.ts';
import { ProtoWriter } from '../formats/protobuf.ts';
import { CHUNK, numberText, rowsOf, type Chunks, type CurveWriter, type RunCurves } from './writer.ts';

/** W&B's ids are eight letters and digits. */
const idOf = ({ id }: Run): string => sha256(id).slice(0, 8);
const beginOf = ({ startedAt, createdAt }: Run): number => startedAt ?? createdAt;

/** Fields of the records that are written, wandb/proto/wandb_internal.proto. */
const fields = { history: 2, summary: 3, exit: 18, run: 17, header: 21 } as const;

/** Records of one run. */
class Records {
  readonly #framing = new LevelDbFraming();
  readonly #proto = new ProtoWriter();
  #count = 0;

  record(field: number, write: (proto: ProtoWriter) => void): Buffer {
    this.#count += 1;
    const proto = this.#proto.clear().integer(1, this.#count);
    proto.message(field, () => write(proto));
    return this.#framing.frame(proto.taken());
  }

  header(): Buffer {
    return this.record(fields.header, (proto) =>
      proto.message(1, () => void proto.text(1, 'whetstone').text(2, '0.13.0')),
    );
  }

  run({ run, config }: RunCurves): Buffer {
    const begin = beginOf(run);
    return this.record(fields.run, (proto) => {
      proto.text(1, idOf(run)).text(3, 'whetstone');
      const values = isObject(config) ? Object.entries(config) : [];
      proto.message(4, () => {
        for (const [key, value] of values)
          if (value !== undefined)
            proto.message(1, () => void proto.text(1, key).text(16, JSON.stringify(value)));
      });
      proto.text(8, run.name || run.method).text(9, run.notes);
      for (const tag of run.tags) proto.text(10, tag);
      proto.message(17, () => void proto.integer(1, Math.floor(begin / 1000)));
    });
  }

  /** A step's metrics, as JSON by name. */
  history(step: number, at: number, begin: number, items: readonly (readonly [string, string])[]): Buffer {
    const all = [
      ...items,
      ['_step', String(step)],
      ['_timestamp', String(at / 1000)],
      ['_runtime', String((at - begin) / 1000)],
    ] as const;
    return this.record(fields.history, (proto) => {
      for (const [name, value] of all) proto.message(1, () => void proto.text(2, name).text(16, value));
      proto.message(2, () => void proto.integer(1, step));
    });
  }

  summary(items: Iterable<readonly [string, string]>): Buffer {
    return this.record(fields.summary, (proto) => {
      for (const [name, value] of items) proto.message(1, () => void proto.text(2, name).text(16, value));
    });
  }

  exit(): Buffer {
    return this.record(fields.exit, (proto) => void proto.integer(1, 0));
  }
}

/** The latest time of a step's points; `fallback` if none has one. */
function timeOf(window: readonly Series[], places: readonly number[], fallback: number): number {
  let latest = Number.NEGATIVE_INFINITY;
  places.forEach((place, i) => {
    if (place >= 0 && window[i].at[place] > latest) latest = window[i].at[place];
  });
  return Number.isFinite(latest) ? latest : fallback;
}

async function* chunksOf(curves: RunCurves): Chunks {
  const records = new Records();
  const begin = beginOf(curves.run);
  const last = new Map<string, string>();
  yield records.header();
  yield records.run(curves);
  let [parts, bytes]: [Buffer[], number] = [[], 0];
  for await (const window of curves.windows())
    for (const { step, places } of rowsOf(window)) {
      const items = places.flatMap((place, i): (readonly [string, string])[] =>
        place < 0 ? [] : [[window[i].name, numberText(window[i].values[place])]],
      );
      for (const [name, value] of items) last.set(name, value);
      const record = records.history(step, timeOf(window, places, begin), begin, items);
      parts.push(record);
      bytes += record.length;
      if (bytes < CHUNK) continue;
      yield Buffer.concat(parts);
      [parts, bytes] = [[], 0];
    }
  yield Buffer.concat([...parts, records.summary(last), records.exit()]);
}

/** Weights & Biases: the folder of an offline run, as `wandb sync` takes it. */
export const wandb: CurveWriter = {
  ofRun: (curves) => {
    const stamp = new Date(beginOf(curves.run))
      .toISOString()
      .replaceAll(/[-:]/g, '')
      .replace('T', '_')
      .slice(0, 15);
    const id = idOf(curves.run);
    return { path: join(`offline-run-${stamp}-${id}`, `run-${id}.wandb`), chunks: chunksOf(curves) };
  },
};
