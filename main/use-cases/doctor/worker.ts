import { parentPort } from 'node:worker_threads';
import { splitSide } from '../../../engine/row-reading.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { diagnose, withWrongMarks } from './diagnose.ts';
import type { DoctorRow } from './patient.ts';
import type { FromDoctor, SentOptions, ToDoctor } from './protocol.ts';

/** Examines the rows that it was sent, in a separate thread. */
const port = parentPort;
if (!port) throw new Error('examinations run in a worker thread');
const send = (message: FromDoctor): void => port.postMessage(message);
const rows: DoctorRow[] = [];
const tokens: (number | null)[] = [];

/** Milliseconds between two reports. */
const pace = 100;

async function run({ others, measured, ...options }: SentOptions): Promise<void> {
  const full = {
    ...options,
    others: others.map(({ name, prompts }) =>
      splitSide(
        name,
        prompts.map((text, at) => ({ id: `${name} ${at}`, text })),
      ),
    ),
    lengths: measured ? tokens : null,
  };
  const work = diagnose(rows, full);
  let last = 0;
  for (;;) {
    const next = work.next();
    if (next.done) {
      send({ state: 'examining', step: 'judge', share: 0.9 });
      send({ state: 'done', diagnosed: await withWrongMarks(next.value, rows, full) });
      return;
    }
    if (performance.now() - last < pace) continue;
    last = performance.now();
    send({ state: 'examining', step: next.value.step, share: 0.9 * next.value.share });
  }
}

port.on('message', (message: ToDoctor) => {
  if (message.do === 'add') {
    rows.push(...message.rows);
    tokens.push(...message.tokens);
    return;
  }
  run(message.options)
    .catch((error: unknown) => send({ state: 'failed', error: WhetstoneError.from(error).facts }))
    .finally(() => port.close());
});
