import { parentPort, workerData } from 'node:worker_threads';
import { readColumns, readDataset } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { storeError } from '../store/database.ts';
import type { ImportOptions, ImportMessage } from './index.ts';

/** Reads one dataset file in a separate thread; each batch waits until the one before is stored. */
const port = parentPort;
if (!port) throw new Error('imports run in a worker thread');
const { path, keepGoodLines, countOnly, columnsOnly, mapping } = workerData as ImportOptions;
const send = (message: ImportMessage): void => port.postMessage(message);

let goOn: () => void = () => undefined;
port.on('message', () => goOn());

try {
  if (columnsOnly) send({ state: 'columns', columns: await readColumns(path) });
  const events = columnsOnly ? [] : readDataset(path, { keepGoodLines, mapping });
  for await (const event of events) {
    const stored = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    send(countOnly && event.state === 'reading' ? { ...event, rows: [], count: event.rows.length } : event);
    await stored;
  }
} catch (error) {
  const { facts } = error instanceof WhetstoneError ? error : storeError(error, path);
  send({ state: 'failed', error: facts });
} finally {
  port.close();
}
