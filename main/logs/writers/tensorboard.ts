import { join } from 'node:path';
import { ProtoWriter } from '../formats/protobuf.ts';
import { tfRecord } from '../formats/tf-record.ts';
import { CHUNK, type Chunks, type CurveWriter, type RunCurves } from './writer.ts';

async function* chunksOf({ run, windows }: RunCurves): Chunks {
  const event = new ProtoWriter();
  const begin = run.startedAt ?? run.createdAt;
  yield tfRecord(
    event
      .double(1, begin / 1000)
      .text(3, 'brain.Event:2')
      .taken(),
  );
  let [parts, bytes]: [Buffer[], number] = [[], 0];
  for await (const window of windows())
    for (const { name, steps, at, values } of window)
      for (let i = 0; i < steps.length; i += 1) {
        const time = Number.isFinite(at[i]) ? at[i] : begin;
        event
          .clear()
          .double(1, time / 1000)
          .integer(2, steps[i]);
        event.message(5, () =>
          event.message(1, () => {
            event.text(1, name).float(2, values[i]);
          }),
        );
        const record = tfRecord(event.taken());
        parts.push(record);
        bytes += record.length;
        if (bytes < CHUNK) continue;
        yield Buffer.concat(parts);
        [parts, bytes] = [[], 0];
      }
  yield Buffer.concat(parts);
}

/** TensorBoard: a folder per run, with one event file of simple values. */
export const tensorboard: CurveWriter = {
  ofRun: (curves) => {
    const seconds = Math.floor((curves.run.startedAt ?? curves.run.createdAt) / 1000);
    return {
      path: join(curves.fileName, `events.out.tfevents.${seconds}.whetstone.0.0`),
      chunks: chunksOf(curves),
    };
  },
};
