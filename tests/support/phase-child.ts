/**
 * A main process to be killed: runs a long phase on the real engine and prints the engine's pid once it is
 * inside. Arguments: number of the phase, folder.
 */
import { fileURLToPath } from 'node:url';
import { forkEngine } from '../../main/engine-host/channel.ts';
import { EngineHost } from '../../main/engine-host/host.ts';
import { isOf, longPhases, runOf, type ProgressEvent } from './phases.ts';

const [, , number, folder] = process.argv;
const long = longPhases[Number(number)];
const host = new EngineHost(
  forkEngine(fileURLToPath(new URL('../../engine/process/index.ts', import.meta.url))),
);
const before: ProgressEvent[] = [];
await host.start(runOf(long, 'one', folder), {
  event: (event) => {
    host.acknowledge(event.runId, event.attempt, event.sequence);
    if (event.type === 'finished' || event.type === 'failed')
      process.stdout.write(`over ${JSON.stringify(event)}\n`);
    if (event.type !== 'progress') return;
    if (isOf(long, event, before)) process.stdout.write(`inside ${host.runnerOf()}\n`);
    before.push(event);
  },
  gone: (error) => process.stdout.write(`gone ${error.message}\n`),
  stopped: () => undefined,
});
