import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { found, runToy } from '../../support/toy-run.ts';
import { temporaryFolder } from '../../support/folder.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Answers of three lines; `marks` gives those of the first two from whether they are right. */
const fileOf = (marks: (isRight: boolean, row: number) => boolean | null): string => {
  const path = join(temporaryFolder(), 'rows.jsonl');
  const rows = Array.from({ length: 120 }, (_none, row) => {
    const rights = [row % 3 !== 0, row % 2 === 0];
    const lines = rights.map((isRight) => (isRight ? 'yes' : 'nay'));
    return {
      promptId: `p${row}`,
      prompt: `${row}?`,
      answer: [...lines, 'end'].join('\n'),
      reference: null,
      correct: rights.every(Boolean),
      steps: [...rights.map((isRight, at) => marks(isRight, row + at)), null],
    };
  });
  writeFileSync(path, rows.map((each) => JSON.stringify(each)).join('\n'));
  return path;
};

const run = async (path: string): Promise<number> => {
  const spec = checkSpec({
    method: { id: 'process-verifier' },
    task: { kind: 'dataset', datasetId: 'd' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    optimizer: { learningRate: 6e-3 },
    budget: { steps: 60, batch: 16 },
    evaluation: { problems: 40 },
  });
  const resources = { checkpoints: {}, datasets: { d: path }, preferences: {} };
  return found(await runToy(device, spec, { resources }), 'eval/steps/auc');
};

describe('a process verifier', () => {
  test('learns the marked steps of a dataset, and ignores those without a mark', async () => {
    const path = fileOf((isRight, turn) => (turn % 5 === 0 ? null : isRight));
    expect(await run(path)).toBeGreaterThan(0.95);
  });

  test('learns nothing of marks that do not follow the steps', async () => {
    const path = fileOf((_isRight, turn) => (turn * 7919) % 13 < 6);
    expect(await run(path)).toBeLessThan(0.8);
  });
});
