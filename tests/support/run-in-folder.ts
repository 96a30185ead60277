import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { runToEnd } from '../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import type { CheckpointFacts, Resources } from '../../engine/schema/messages.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { noResources, recorder, type Seen } from './toy-run.ts';

/**
 * Runs of one test file on one device, each to its end. Files and checkpoints stay until all tests of the
 * file are done, so that a run can start from another's checkpoint.
 */
export const runsInOneFolder = () => {
  let device: Device;
  let folder: string;
  let count = 0;
  beforeAll(async () => {
    device = await openDevice({ id: 'cpu', threads: 1 });
    folder = await mkdtemp(join(tmpdir(), 'whetstone-loop-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Writes a file and returns its path. */
  const writeText = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  /** Writes rows as JSON lines and returns the file's path. */
  const writeRows = (name: string, rows: readonly object[]): Promise<string> =>
    writeText(name, rows.map((row) => JSON.stringify(row)).join('\n'));

  /** Runs a spec to its end. Pass `recording` to read the events of a run that throws. */
  const run = async (
    spec: RunSpecInput,
    resources: Partial<Resources> = {},
    recording = recorder(),
  ): Promise<{ seen: Seen[]; saved: CheckpointFacts }> => {
    const { seen, events } = recording;
    await runToEnd(
      {
        runId: `run-${count}`,
        attempt: 1,
        spec: checkSpec(spec),
        resources: { ...noResources, ...resources },
        outDir: join(folder, `${count++}`),
      },
      events,
      new AbortController().signal,
      device,
    );
    const saved = seen.findLast((event) => event.type === 'checkpoint');
    if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
    return { seen, saved: saved.checkpoint };
  };
  return { run, writeRows, writeText };
};
