import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runStudy } from '../../main/study/index.ts';
import { servicesForTest } from '../support/workspace.ts';

it('completes the study of a small file of labeled solutions: policy, reward model and DPO, with length baselines', async () => {
  const bench = await servicesForTest({ engine: null });
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-study-'));
  const file = join(folder, 'solutions.jsonl');
  const rows = Array.from({ length: 48 }, (_, i) =>
    [true, false].map((correct) => ({
      prompt: `Ann has ${i} eggs and finds ${i % 7} more. How many eggs?`,
      answer: correct
        ? `${i} + ${i % 7} = ${i + (i % 7)}\nA: ${i + (i % 7)}`
        : `${i} - ${i % 7} = ${i - (i % 7) - 1}\nA: ${i - (i % 7) - 1}`,
      correct,
    })),
  );
  await writeFile(
    file,
    rows
      .flat()
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  const result = await runStudy(bench, { file, folder, seed: 0, keepGoodLines: false, log: () => undefined });
  expect(result.dataset).toMatchObject({ prompts: 48, promptsWithPairs: 48, pairs: 48 });
  expect(result.policy.heldoutLoss).toBeLessThan(7);
  for (const { pairs, accuracy, interval, beatsBaseline, baselines } of result.results) {
    expect(pairs).toBeGreaterThan(0);
    expect(accuracy).toBeGreaterThanOrEqual(interval[0]);
    expect(beatsBaseline).toBe(interval[0] > Math.max(baselines.longest, baselines.shortest));
  }
  expect(result.results.map((r) => r.pairs)).toEqual([result.results[0].pairs, result.results[0].pairs]);
  const html = await readFile(result.report, 'utf8');
  expect(html).toContain('Longest wins');
  expect(html.match(/<script/g), 'its own, which its policy names').toHaveLength(1);
  expect(html).not.toMatch(/https?:\/\//);
});
