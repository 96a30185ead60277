import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openServices } from '../../main/headless/open.ts';
import { cli } from '../support/cli.ts';
import { testWithData } from '../support/data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { smallSpec } from '../support/workspace.ts';

interface Imported {
  readonly id: string;
  readonly rows: number;
  readonly doctor: { readonly references: number; readonly verifier: string };
}
interface Ran {
  readonly run: { readonly id: string; readonly state: string };
  readonly results: readonly { readonly kind: string; readonly value: unknown }[];
}

/**
 * Imports the lines of a file, requests a run without and with the suggested verifier, and returns what the
 * run stored.
 */
const walk = async (lines: readonly string[]): Promise<void> => {
  const folder = temporaryFolder();
  const workspace = join(folder, 'w');
  const [file, spec] = [join(folder, 'questions.jsonl'), join(folder, 'spec.json')];
  writeFileSync(file, lines.join('\n'));
  const imported = (await cli('import', file, '--workspace', workspace, '--json')).value as Imported;
  expect(imported).toMatchObject({
    rows: lines.length,
    doctor: { references: lines.length, verifier: 'match/numeric' },
  });

  const run = (own: object) => {
    writeFileSync(
      spec,
      JSON.stringify(
        smallSpec({
          name: 'own',
          method: { id: 'grpo', params: { groupSize: 4 } },
          task: { kind: 'dataset', datasetId: imported.id, heldout: 0.2 },
          models: {
            policy: {
              kind: 'new',
              architecture: { width: 16, layers: 1, heads: 2, context: 192 },
              tokenizer: { kind: 'bytes' },
            },
          },
          sampling: { maxTokens: 12 },
          budget: { steps: 2, batch: 2 },
          evaluation: { problems: 3, samples: 2 },
          ...own,
        }),
      ),
    );
    return cli('run', spec, '--workspace', workspace, '--json');
  };
  expect((await run({ rewards: [] })).value).toMatchObject({
    error: { kind: 'invalid-input', where: 'rewards', hint: expect.stringContaining('match/numeric') },
  });

  const { value, said } = await run({ rewards: [{ id: imported.doctor.verifier }] });
  const { run: ran, results } = value as Ran;
  expect(ran?.state, said).toBe('done');
  expect(results.find(({ kind }) => kind === 'evaluation')?.value).toMatchObject({
    problems: 3,
    samples: 2,
    passAtK: [{ k: 1 }, { k: 2 }],
  });

  const bench = await openServices({ workspacePath: workspace, create: false });
  try {
    const { total, samples } = await bench.api.runs.samples({
      runIds: [ran.id],
      purpose: null,
      promptId: null,
      step: null,
      order: 'oldest',
      offset: 0,
      limit: 100,
    });
    expect(total).toBe(2 * 2 * 4 + 3 * 2);
    for (const { scores } of samples) expect([0, 1]).toContain(scores['match/numeric']);
  } finally {
    await bench.close();
  }
};

describe('a custom task, from the command line', () => {
  it(
    'prompts with references: import, GRPO, pass@k on held-out rows, verdicts stored with every answer',
    () =>
      walk(
        Array.from({ length: 30 }, (_, i) =>
          JSON.stringify({ prompt: `What is ${i} and ${i + 2}?`, reference: 2 * i + 2 }),
        ),
      ),
    120_000,
  );

  // only short questions, since the byte-level model has a small context
  testWithData('the same with questions of GSM8K', 'gsm8k-train-3000.jsonl', (path) =>
    walk(
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .filter((line) => (JSON.parse(line) as { question: string }).question.length < 140)
        .slice(0, 60),
    ),
  );
});
