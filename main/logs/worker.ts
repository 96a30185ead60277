import { parentPort, workerData } from 'node:worker_threads';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { LogPoints } from '../store/imported/points.ts';
import { storeError } from '../store/database.ts';
import { Columns } from './columns.ts';
import { hashed, type FoundSource } from './find.ts';
import { READ_AHEAD, type LogAnswer, type LogMessage, type LogWork } from './protocol.ts';
import { readers } from './readers/index.ts';

/** Reads the logs of runs in a separate thread, one after the other, a few messages ahead of those handled. */
const port = parentPort;
if (!port) throw new Error('logs are read in a worker thread');
const { sources } = workerData as LogWork;

let ahead = 0;
let wake: () => void = () => undefined;
let choice: LogAnswer | null = null;
port.on('message', (answer: LogAnswer) => {
  if (answer === 'handled') ahead -= 1;
  else choice = answer;
  wake();
});
const changed = (): Promise<void> =>
  new Promise((resolve) => {
    wake = resolve;
  });

const send = (message: LogMessage): void =>
  port.postMessage(
    message,
    message.state === 'reading'
      ? message.points.flatMap(({ steps, at, values }) => [steps.buffer, at.buffer, values.buffer])
      : [],
  );

/** The hash of a run's content; whether the run is to be read. */
async function isWanted(source: FoundSource, run: number): Promise<boolean> {
  const bytes = hashed(source);
  let step = await bytes.next();
  while (!step.done) step = await bytes.next();
  choice = null;
  send({ state: 'hashed', run, hash: step.value });
  while (choice === null) await changed();
  return (choice as LogAnswer) === 'read';
}

async function readRun(source: FoundSource, run: number): Promise<void> {
  let points: LogPoints[] = [];
  const columns = new Columns(source.tool, (some) => points.push(some));
  const hand = async (bytes: number): Promise<void> => {
    send({ state: 'reading', run, bytes, points });
    points = [];
    ahead += 1;
    while (ahead >= READ_AHEAD) await changed();
  };
  for await (const bytes of readers[source.reader].read(source, columns)) await hand(bytes);
  columns.flush();
  await hand(source.bytes);
  send({ state: 'read', run, facts: columns.facts });
}

try {
  for (const [run, source] of sources.entries()) if (await isWanted(source, run)) await readRun(source, run);
  send({ state: 'done' });
} catch (error) {
  const { facts } = error instanceof WhetstoneError ? error : storeError(error, sources[0]?.files[0] ?? '');
  send({ state: 'failed', error: facts });
} finally {
  port.close();
}
