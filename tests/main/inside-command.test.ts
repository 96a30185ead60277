/** The commands `inside` and `suite`, and demands on judges, with a reward model that the real engine trains. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { InsideAnswer } from '../../engine/schema/inside.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { SuiteReport } from '../../engine/schema/suite.ts';
import type { AnswerSteps } from '../../preload/contract/inside.ts';
import type { ProbeReport } from '../../preload/contract/probes.ts';
import { cli } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'whetstone-inside-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const workspace = join(folder, 'workspace');
const models: RunSpecInput['models'] = {
  policy: {
    kind: 'new',
    architecture: { width: 16, layers: 1, heads: 2, context: 64 },
    tokenizer: { kind: 'bytes' },
  },
};
let runId = '';
let checkpointId = '';

const ask = async <T>(...args: string[]): Promise<T> => {
  const { code, value } = await cli(...args, '--workspace', workspace, '--json');
  expect(code, JSON.stringify(value)).toBe(0);
  return value as T;
};
const refused = async (
  ...args: string[]
): Promise<{ kind: string; message: string; where: string; hint: string }> => {
  const { code, value } = await cli(...args, '--workspace', workspace, '--json');
  expect(code).toBe(1);
  return (value as { error: { kind: string; message: string; where: string; hint: string } }).error;
};
const written = (name: string, ...lines: unknown[]): string => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
};

/** Trains the judge once. */
async function train(): Promise<void> {
  const rows = Array.from({ length: 160 }, (_none, i) => ({
    prompt: `p${i >> 1}`,
    answer: i % 2 === 0 ? `It is ${i}.` : 'no',
    // every fourth prompt is marked the other way round, so that no judge is right about all
    correct: (i % 2 === 0) === ((i >> 1) % 4 !== 0),
  }));
  const { id: datasetId } = await ask<{ id: string }>('import', written('rows.jsonl', ...rows));
  const spec: RunSpecInput = {
    name: 'judge',
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'dataset', datasetId, heldout: 0.4 },
    models,
    budget: { steps: 8, batch: 8 },
  };
  type Ran = { run: { id: string }; checkpoints: { id: string }[] };
  const ran = await ask<Ran>('run', written('judge.json', spec), '--anyway');
  [runId, checkpointId] = [ran.run.id, ran.checkpoints[0].id];
}
let training: Promise<void> | undefined;
beforeEach(() => (training ??= train()));

describe('inside', () => {
  it('prints credit and the effect of deletion, by run and by other parts', async () => {
    const found = await ask<InsideAnswer>('inside', runId, '--prompt', 'p1', '--answer', 'It is 4.');
    expect(found.units.map(({ text }) => text).join('')).toBe('It is 4.');
    const sum = found.units.reduce((total, { credit }) => total + credit, 0);
    expect(sum).toBeCloseTo(found.score - found.empty, 4);
    const words = await ask<InsideAnswer>(
      'inside',
      runId,
      '--prompt',
      'p',
      '--answer',
      'It is 4.',
      '--by',
      'words',
    );
    expect(words.units).toHaveLength(3);
  });

  it('refuses parts and judges that there are not', async () => {
    expect((await refused('inside', runId, '--prompt', 'p', '--answer', 'a', '--by', 'letters')).where).toBe(
      '--by',
    );
    expect((await refused('inside', 'nobody', '--prompt', 'p', '--answer', 'a')).kind).toBe('not-found');
  });
});

describe('inside --steps', () => {
  const completion = 'It is 2.\n\nSo 3.\n\nno';
  const steps = (...args: string[]) =>
    ask<AnswerSteps>('inside', runId, '--prompt', 'p1', '--answer', completion, '--steps', ...args);

  it('prints the score of the prefix that ends with each step, and the first below the threshold', async () => {
    const found = await steps('--threshold', '1e6');
    expect(found.steps.map(({ text }) => text)).toEqual(['It is 2.', 'So 3.', 'no']);
    expect(found).toMatchObject({ by: 'prefix', thresholdBy: 'chosen', firstWrong: 0, labels: [] });
    const { score } = await ask<InsideAnswer>('inside', runId, '--prompt', 'p1', '--answer', completion);
    expect(found.steps[2].prefix).toBeCloseTo(score, 5);
    expect(found.steps[0].drop).toBeNull();
    expect(found.steps[1].drop).toBeCloseTo((found.steps[0].prefix ?? 0) - (found.steps[1].prefix ?? 0), 10);
    expect(await steps('--threshold=-1e6')).toMatchObject({ firstWrong: -1 });
  });

  it('takes the threshold of the judge’s report of ProcessBench, and finds what the report found', async () => {
    const items = Array.from({ length: 12 }, (_none, i) => ({
      id: `gsm8k-${i}`,
      problem: `p${i}`,
      steps: ['It is 4.', i % 2 === 0 ? 'no' : 'It is 5.'],
      label: i % 2 === 0 ? 1 : -1,
    }));
    const report = await ask<SuiteReport>('suite', runId, written('fit.jsonl', ...items));
    for (const { stepwise, scores, credit } of report.results.slice(0, 4)) {
      if (!stepwise) throw new Error('the item has no text');
      const answer = stepwise.steps.join('\n\n');
      const at = ['--prompt', stepwise.prompt, '--answer', answer, '--steps'];
      const found = await ask<AnswerSteps>('inside', runId, ...at);
      expect(found).toMatchObject({ threshold: report.steps?.threshold, thresholdBy: 'report' });
      found.steps.forEach(({ prefix }, step) => expect(prefix).toBeCloseTo(scores[step] ?? NaN, 5));
      if (credit !== null) expect(Number(found.firstWrong === stepwise.label)).toBe(credit);
    }
  });

  it('has no first wrong step without a threshold, no steps of an empty answer, and refuses other flags', async () => {
    const at = ['--prompt', 'p', '--answer', 'a'];
    const empty = await ask<AnswerSteps>('inside', checkpointId, '--prompt', 'p', '--answer', ' ', '--steps');
    expect(empty.steps).toEqual([]);
    expect((await refused('inside', runId, ...at, '--threshold', '1')).where).toBe('--threshold');
    expect((await refused('inside', runId, ...at, '--steps', '--by', 'words')).where).toBe('--by');
    const { out } = await cli('inside', runId, ...at, '--steps', '--workspace', workspace, '--threshold=-9');
    expect(out).toContain('first wrong step by the judge: none (threshold -9.0000, as chosen)');
  });
});

describe('suite', () => {
  it('scores own pairs by slice, and its JSON can be read in again', async () => {
    const path = written(
      'gold.jsonl',
      { prompt: 'p1', chosen: 'It is 2.', rejected: 'no', topic: 'law' },
      { prompt: 'p2', chosen: 'no', rejected: 'It is 4.', topic: 'law' },
      { prompt: 'p3', chosen: 'x'.repeat(200), rejected: 'no', topic: 'art' },
    );
    const report = await ask<SuiteReport>('suite', runId, path, '--slice', 'topic');
    expect(report).toMatchObject({ suite: 'gold', items: 3, unread: 1, judge: { name: 'judge' } });
    expect(report.subsets.map(({ name, n }) => [name, n])).toEqual([
      ['law', 2],
      ['art', 0],
    ]);
    const credits = report.results.flatMap(({ credit }) => credit ?? []);
    expect(report.score).toBe(credits.reduce((sum, credit) => sum + credit, 0) / 2);
    for (const { scores, credit } of report.results.slice(0, 2))
      expect(credit).toBe(Number((scores[0] ?? NaN) > (scores[1] ?? NaN)));
    expect(await ask<SuiteReport>('suite', runId, written('report.json', report))).toEqual(report);
  });

  it('scores the pairs of a dataset of the workspace as they were imported, by slice', async () => {
    const pairs = [
      { prompt: 'p1', chosen: 'It is 2.', rejected: 'no', topic: 'law' },
      { prompt: 'p1', chosen: 'It is 3.', rejected: 'never', topic: 'art' },
      { prompt: 'p2', chosen: 'no', rejected: 'It is 4.', topic: 'law' },
    ];
    const { id, name } = await ask<{ id: string; name: string }>('import', written('prefs.jsonl', ...pairs));
    const report = await ask<SuiteReport>('suite', runId, '--dataset', name, '--slice', 'topic');
    const file = await ask<SuiteReport>('suite', runId, written('same.jsonl', ...pairs), '--slice', 'topic');
    const data = { kind: 'dataset', id, state: 'as imported', ties: 0, skipped: 0, unpaired: 0 };
    expect(report).toMatchObject({ suite: 'gold', file: name, items: 3, data });
    // answers of one record are a pair, and those of another record to the same prompt are not
    expect(report.results.map(({ scores }) => scores)).toEqual(file.results.map(({ scores }) => scores));
    expect(report.subsets).toEqual(file.subsets);
    expect(await ask<SuiteReport>('suite', runId, '--dataset', id, '--slice', 'topic')).toMatchObject({
      fileHash: report.fileHash,
    });
  });

  it('scores the pairs of a label set, and counts ties and skipped labels that it leaves out', async () => {
    const pairs = ['a', 'b', 'c', 'd'].map((prompt) => ({ prompt, chosen: 'It is 2.', rejected: 'no' }));
    const { id } = await ask<{ id: string }>('import', written('to-label.jsonl', ...pairs));
    const set = await ask<{ id: string }>('labels', 'create', '--dataset', id, '--name', 'own gold');
    expect((await refused('suite', runId, '--labels', 'own gold')).kind).toBe('invalid-input');
    for (const verdict of ['a', 'tie', 'skip']) {
      const { pairId } = await ask<{ pairId: string }>('labels', 'next', '--set', set.id);
      await ask('labels', 'decide', '--item', pairId, '--verdict', verdict);
    }
    const report = await ask<SuiteReport>('suite', runId, '--labels', 'own gold');
    const data = { kind: 'label-set', id: set.id, state: '3 of 4 labeled', ties: 1, skipped: 1 };
    expect(report).toMatchObject({ suite: 'gold', file: 'own gold', items: 1, data });
    const { out } = await cli('suite', runId, '--labels', set.id, '--workspace', workspace);
    expect(out).toContain('own gold (3 of 4 labeled), left out: 1 ties, 1 skipped labels');
    const both = await refused('suite', runId, 'x.jsonl', '--labels', set.id);
    expect([both.where, (await refused('suite', runId)).where]).toEqual(['FILE', 'FILE']);
    const other = await refused('suite', runId, '--labels', set.id, '--suite', 'rewardbench');
    expect(other.where).toBe('suite');
  });

  it('finds first wrong steps of ProcessBench', async () => {
    const path = written(
      'process.json',
      { id: 'gsm8k-0', problem: 'p', steps: ['a', 'b'], label: 1, final_answer_correct: false },
      { id: 'gsm8k-1', problem: 'p', steps: ['a', 'c'], label: -1, final_answer_correct: true },
    );
    const report = await ask<SuiteReport>('suite', runId, path, '--threshold', '1e6');
    // every step lies below the threshold, so that the first is always wrong
    expect(report).toMatchObject({
      suite: 'processbench',
      score: 0,
      steps: { by: 'prefix', thresholdBy: 'chosen', erroneous: { accuracy: 0 }, correct: { accuracy: 0 } },
    });
  });

  it('refuses a file without a column by its name, and stores nothing', async () => {
    const error = await refused('suite', runId, written('broken.jsonl', { prompt: 'p', chosen: 'c' }));
    expect(error).toMatchObject({ kind: 'invalid-input', where: 'rejected' });
    expect(error.message).toContain('line 1');
    expect((await refused('suite', runId, join(folder, 'nowhere.jsonl'))).kind).toBe('not-found');
    expect((await refused('suite', runId, written('x.jsonl', {}), '--suite', 'mine')).where).toBe('--suite');
  });
});

describe('demands on a judge', () => {
  const demanding = (
    name: string,
    demand: RunSpecInput['demand'],
    rewards?: RunSpecInput['rewards'],
  ): string =>
    written(`${name}.json`, {
      name,
      method: { id: 'grpo' },
      task: { kind: 'world', id: 'toy/copy' },
      models,
      rewards: rewards ?? [{ id: 'reward-model', params: { checkpointId } }],
      budget: { steps: 1, batch: 2 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 2, samples: 2 },
      ...(demand && { demand }),
    } satisfies RunSpecInput);

  it('refuse a run whose judge was not probed or does not pass, with the numbers, and let others run', async () => {
    const unprobed = await refused('run', demanding('unprobed', { probes: ['padded'] }), '--anyway');
    expect(unprobed).toMatchObject({ kind: 'conflict', where: 'demand.probes' });
    expect(unprobed.hint).toContain(`probe ${runId}`);

    const { probes } = await ask<ProbeReport>('probe', runId, '--limit', '24');
    const failing = probes.find(({ effect }) => effect && effect.verdict !== 'passed');
    const passing = probes.filter(({ effect }) => effect?.verdict === 'passed').map(({ id }) => id);
    if (!failing?.effect) throw new Error('a judge of eight steps passes every probe');
    type Ids = NonNullable<NonNullable<RunSpecInput['demand']>['probes']>;
    const failed = await refused('run', demanding('failing', { probes: [failing.id] as Ids }), '--anyway');
    expect(failed.where).toBe(`demand.probes: ${failing.id}`);
    expect(failed.message).toContain(failing.effect.mean.toFixed(2));
    expect(failed.message).toContain('0.2');

    const low = await refused('run', demanding('low', { accuracy: 1 }), '--anyway');
    expect(low.message).toMatch(/accuracy of 0\.\d+ on \d+ held-out pairs.*demands 1/);
    const alone = await refused(
      'run',
      demanding('alone', { accuracy: 0.1 }, [{ id: 'verifier' }]),
      '--anyway',
    );
    expect(alone).toMatchObject({ kind: 'invalid-input', where: 'demand' });

    const ran = await ask<{ run: { state: string } }>(
      'run',
      demanding('held', { probes: passing as Ids, accuracy: 0.01 }),
      '--anyway',
    );
    expect(ran.run.state).toBe('done');
  });
});
