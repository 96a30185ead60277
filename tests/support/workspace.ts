import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { RunSpec, type RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { Config } from '../../main/services/config.ts';
import { ShippedSamples } from '../../main/services/shipped-samples.ts';
import { forkEngine } from '../../main/engine-host/channel.ts';
import { openServices, type OpenOptions, type OpenServices } from '../../main/headless/open.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { createFolder, type OpenFolder } from '../../main/store/folder.ts';
import { noFindings } from './findings.ts';
import { temporaryFolder } from './folder.ts';

/** A new workspace folder, open for this test; closed and removed at its end. */
export async function workspaceForTest(): Promise<OpenFolder> {
  const folder = await createFolder(join(temporaryFolder(), 'workspace'));
  onTestFinished(() => folder.close());
  return folder;
}

const standIn = fileURLToPath(new URL('./engine-stand-in.ts', import.meta.url));

export type TestOptions = OpenOptions & { engine?: readonly string[] | null; path?: string };

/**
 * Services on a new workspace in `home` (or the one at `path`), with the stand-in engine in these modes, or
 * the real one: `engine: null`.
 */
export const servicesIn = (
  home: string,
  { engine = [], path, ...options }: TestOptions = {},
): Promise<OpenServices> =>
  openServices({
    workspacePath: path ?? join(home, 'workspace'),
    create: true,
    config: new Config(join(home, 'config')),
    samples: new ShippedSamples(null, join(home, 'samples')),
    ...(engine && { spawnEngine: forkEngine(standIn, engine) }),
    ...options,
  });

/** The same for one test: closed and removed at its end. */
export async function servicesForTest(options: TestOptions = {}): Promise<OpenServices> {
  const bench = await servicesIn(temporaryFolder(), options);
  onTestFinished(() => bench.close());
  return bench;
}

/** A small spec that passes every check, on a world that takes seconds. */
export const smallSpec = (own: Partial<RunSpecInput> = {}): RunSpecInput => ({
  name: 'small',
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 32 },
      tokenizer: { kind: 'characters' },
    },
  },
  budget: { steps: 20, batch: 8 },
  evaluation: { problems: 0 },
  ...own,
});
export const parsedSpec = (own: Partial<RunSpecInput> = {}): RunSpec => RunSpec.parse(smallSpec(own));

/** A dataset of so many prompts, each with a right, a wrong and an unmarked answer. */
export async function datasetForTest(store: StoreClient, prompts = 4): Promise<string> {
  const id = await store.datasets.stage({ name: 'answers', source: 'test' });
  const rows = Array.from({ length: prompts * 3 }, (_none, row): DatasetRow => {
    const prompt = Math.floor(row / 3);
    return {
      row,
      line: row + 1,
      promptId: `prompt-${prompt}`,
      prompt: `question ${prompt}`,
      answer: `answer ${row}`,
      reference: null,
      correct: [true, false, null][row % 3],
      source: 'test',
    };
  });
  await store.datasets.append(id, rows, [{ line: 99, reason: 'is no JSON', text: '{' }]);
  await store.datasets.finish(id, { hash: 'hash', doctor: noFindings });
  return id;
}
