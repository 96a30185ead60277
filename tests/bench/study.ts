/**
 * The study of README.md on a whole file of real solutions: policy, reward model and DPO, as a person would
 * run it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServices } from '../../main/headless/open.ts';
import { runStudy } from '../../main/study/index.ts';
import { dataFile } from '../support/data-file.ts';
import { rounded, say } from './figures.ts';

const FILE = 'gsm8k-model-solutions-900.jsonl';

/**
 * One study with a seed, in a temporary workspace. Without the data it prints that, and returns no figure.
 */
export const measureStudy = async ({ seed }: { readonly seed: number }) => {
  const { path, missing } = dataFile(FILE);
  if (missing !== null) {
    say(`The study is skipped: ${missing}.`);
    return { skipped: missing };
  }
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-bench-study-'));
  const bench = await openServices({ workspacePath: join(folder, 'workspace'), create: true });
  try {
    const {
      dataset: { rows, prompts, pairs },
      policy,
      results,
      leftOut,
      seconds,
    } = await runStudy(bench, { file: path, folder, seed, keepGoodLines: false, log: say });
    for (const { name, accuracy, interval, pairs: judged } of results)
      say(
        `${name}: ${rounded(accuracy)} [${interval.map((end) => rounded(end)).join(', ')}] of ${judged} held-out pairs`,
      );
    return { seconds: rounded(seconds), seed, rows, prompts, pairs, policy, results, leftOut };
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
