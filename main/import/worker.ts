import { parentPort, workerData } from 'node:worker_threads';
import { readColumns, readDataset } from '../../engine/row-reading.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { storeError } from '../store/database.ts';
import { packRows } from '../store/packed-rows.ts';
import { READ_AHEAD, type ImportOptions, type ImportMessage } from './protocol.ts';

/** Reads one dataset file in a separate thread, a few batches ahead of those that are stored. */
const port = parentPort;
if (!port) throw new Error('imports run in a worker thread');
const { path, keepGoodLines, countOnly, columnsOnly, mapping } = workerData as ImportOptions;
const send = (message: ImportMessage): void =>
  port.postMessage(message, message.state === 'reading' ? [message.packed.bytes.buffer as ArrayBuffer] : []);

let ahead = 0;
let goOn: () => void = () => undefined;
port.on('message', () => {
  ahead--;
  goOn();
});

try {
  if (columnsOnly) send({ state: 'columns', columns: await readColumns(path) });
  const events = columnsOnly ? [] : readDataset(path, { keepGoodLines, mapping });
  for await (const event of events) {
    if (event.state === 'done') {
      send(event);
      continue;
    }
    const { rows, ...batch } = event;
    send({ ...batch, count: rows.length, packed: packRows(countOnly ? [] : rows) });
    ahead++;
    while (ahead >= READ_AHEAD)
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
  }
} catch (error) {
  const { facts } = error instanceof WhetstoneError ? error : storeError(error, path);
  send({ state: 'failed', error: facts });
} finally {
  port.close();
}
