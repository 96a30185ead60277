/** Runs each command of README.md that takes the user's own data on a file with irregular rows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../preload/contract/compare.ts';
import type { Experiment } from '../../preload/contract/experiments.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { cli } from '../support/cli.ts';
import { writeOutsiders } from '../support/outsiders.ts';
import type { Ran, Saved } from '../support/printed.ts';
import { servicesIn } from '../support/workspace.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
/** Commands that take no data, models or runs of the user. */
const withoutInput = 'devices methods worlds systems selftest control demo serve help'.split(' ');
const covered = new Set(['chart', 'results']); // by tests of their own

type Said = { value: unknown; said: string };
const ask = async (command: string, ...args: readonly string[]): Promise<Said> => {
  covered.add(command);
  const { code, value, said } = await cli(command, ...args, '--json');
  expect(
    `${code} ${JSON.stringify((value as { error?: unknown }).error ?? 'no error')} ${code === 0 ? '' : said}`.trim(),
    command,
  ).toBe('0 "no error"');
  return { value, said };
};
/** What a command says that cannot do what is asked. */
const refusal = async (command: string, ...args: readonly string[]): Promise<string> => {
  covered.add(command);
  return JSON.stringify((await cli(command, ...args, '--json')).value);
};

describe(
  'commands on a file with a row longer than the context, an empty answer, non-ASCII characters, an ' +
    'unknown column and a blank line',
  () => {
    let home: string;
    let file: string;
    let at: string[];
    let datasetId: string;
    let policy: Ran;
    let improved: string;
    const architecture = { width: 16, layers: 1, heads: 2, context: 128 };
    const spec = (name: string, own: Partial<RunSpecInput> & Pick<RunSpecInput, 'method'>): string => {
      const path = join(home, `${name}.json`);
      writeFileSync(
        path,
        JSON.stringify({
          name,
          models: { policy: { kind: 'new', architecture, tokenizer: { kind: 'bpe', vocabulary: 400 } } },
          task: { kind: 'dataset', datasetId, heldout: 0.3 },
          budget: { steps: 2, batch: 4 },
          sampling: { maxTokens: 16 },
          evaluation: { problems: 6, samples: 2 },
          ...own,
        }),
      );
      return path;
    };
    const sftSpec = (name: string, steps: number): RunSpecInput =>
      JSON.parse(
        readFileSync(spec(name, { method: { id: 'sft' }, budget: { steps, batch: 4 } }), 'utf8'),
      ) as RunSpecInput;
    const from = (checkpointId: string): Pick<RunSpecInput, 'models'> => ({
      models: { policy: { kind: 'checkpoint', checkpointId } },
    });

    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'whetstone-real-input-'));
      at = ['--workspace', join(home, 'w')];
      file = writeOutsiders(join(home, 'solutions.jsonl'));
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    it('import, run: valid lines are stored, and rows that are too long are left out of a run', async () => {
      datasetId = ((await ask('import', file, ...at, '--keep-good-lines')).value as { id: string }).id;
      policy = (await ask('run', spec('policy', { method: { id: 'sft' } }), ...at)).value as Ran;
      expect(policy.leftOut.training * policy.leftOut.heldout).toBeGreaterThan(0);
    });

    it('rows, curate, add-row, undo, history, version, datasets, dataset-export: rows are found, excluded, saved and written', async () => {
      type Found = { total: number };
      const total = async (query: string) =>
        ((await ask('rows', datasetId, '--query', query, ...at)).value as Found).total;
      const all = await total('');
      const long = await total('length>200');
      expect(all > long && long > 0).toBe(true);
      await ask('version', 'save', datasetId, 'imported', ...at);
      await ask('curate', datasetId, '--query', 'length>200', '--exclude', ...at);
      expect(await total('is:excluded')).toBe(long);
      const to = join(home, 'kept.jsonl');
      const [{ name }] = (await ask('datasets', 'list', ...at)).value as { name: string }[];
      await ask('dataset-export', to, '--dataset', name, ...at);
      expect(readFileSync(to, 'utf8').trimEnd().split('\n')).toHaveLength(all - long);
      await ask('undo', datasetId, ...at);
      expect(await total('is:excluded')).toBe(0);
      await ask('add-row', datasetId, '--prompt', 'A new question, with 1,000?', '--answer', '1,000', ...at);
      expect(await total('')).toBe(all + 1);
      await ask('undo', datasetId, ...at);
      expect((await ask('history', datasetId, ...at)).value).toHaveLength(4);
      expect((await ask('version', 'rebuild', datasetId, 'imported', ...at)).value).toMatchObject({
        isSame: true,
      });
    });

    it('sql: its rows are counted and read', async () => {
      const { value } = await ask('rows', datasetId, '--query', 'length>200', ...at);
      const counted = await ask('sql', datasetId, 'select count(*) from rows where length > 200', ...at);
      expect(counted.value).toMatchObject({ rows: [[(value as { total: number }).total]] });
      const all = await ask('sql', datasetId, 'select * from rows', ...at);
      expect(JSON.stringify(all.value)).toContain('Zoë');
      expect((await ask('sql', datasetId, '--columns', ...at)).value).toContainEqual(
        expect.objectContaining({ name: 'prompt' }),
      );
    });

    it('labels: a set is made, decided, reviewed and exported', async () => {
      const set = (await ask('labels', 'create', '--dataset', datasetId, ...at)).value as { id: string };
      const of = ['--set', set.id, ...at];
      const next = (await ask('labels', 'next', ...of)).value as { pairId: string };
      await ask('labels', 'decide', '--item', next.pairId, '--verdict', 'left', ...at);
      await ask('labels', 'undo', ...of);
      await ask('labels', 'redo', ...of);
      expect((await ask('labels', 'review', ...of)).value).toMatchObject({ total: 1 });
      const to = join(home, 'labels.jsonl');
      await ask('label-export', to, '--set', set.id, ...at);
      expect(readFileSync(to, 'utf8')).not.toBe('');
    });

    it('labels bulk, import, quality, judge: many are decided, exported, imported again and measured', async () => {
      const named = async (name: string) =>
        (
          (await ask('labels', 'create', '--dataset', datasetId, '--name', name, ...at)).value as {
            id: string;
          }
        ).id;
      const [first, second] = [await named('first'), await named('second')];
      await ask('labels', 'bulk', '--set', first, '--verdict', 'left', ...at);
      const to = join(home, 'bulk.jsonl');
      await ask('label-export', to, '--set', first, ...at);
      const labels = readFileSync(to, 'utf8').trimEnd().split('\n').length;
      const again = ['labels', 'import', to, '--set', second, '--as', 'ann', ...at] as const;
      expect((await ask(...again)).value).toMatchObject({ added: labels, unmatched: { count: 0 } });
      expect((await ask(...again)).value).toMatchObject({ added: 0, already: labels });
      expect((await ask('labels', 'quality', second, ...at)).value).toMatchObject({
        labelers: [{ labeler: 'ann' }],
      });
      expect((await ask('labels', 'judge', second, ...at)).value).toMatchObject({
        decided: labels,
        fit: { labels: expect.any(Number) as number },
        error: null,
      });
    });

    it('derive, sample, mix, split, lineage: datasets are made of its rows, and known by their parents', async () => {
      const made = async (...args: readonly [string, ...string[]]) =>
        (await ask(...args, ...at)).value as { id: string; rows: number };
      const long = await made('derive', datasetId, '--query', 'length>200', '--name', 'long');
      const some = await made('sample', datasetId, '--rows', '9', '--by', 'mark', '--name', 'some');
      const mixed = await made(
        'mix',
        `${long.id}=1`,
        `${some.id}=2`,
        '--rows',
        '15',
        '--repeat',
        '--name',
        'mix',
      );
      expect([long.rows > 0, some.rows, mixed.rows]).toEqual([true, 9, 15]);
      await ask('split', mixed.id, '--parts', 'train=.7,test=.3', ...at);
      const of = async (query: string) =>
        ((await ask('rows', mixed.id, '--query', query, ...at)).value as { total: number }).total;
      expect((await of('split:train')) + (await of('split:test'))).toBe(15);
      expect(JSON.stringify((await ask('lineage', mixed.id, ...at)).value)).toContain(datasetId);
    });

    it('doctor, column: its rows are examined, repaired and computed from', async () => {
      await ask('column', datasetId, '--name', 'len', '--code', 'answer.length', ...at);
      const { value } = await ask('rows', datasetId, '--query', 'len>200', ...at);
      expect((value as { total: number }).total).toBeGreaterThan(0);
      await ask('column', datasetId, '--name', 'right', '--reward', 'numeric', ...at);
      await ask('doctor', datasetId, ...at);
      await ask('doctor', datasetId, '--fix', 'exact-duplicates:tag', '--version', 'examined', ...at);
      for (let steps = 0; steps < 2; steps += 1) await ask('undo', datasetId, ...at);
    });

    it('study finishes, and reports what it left out of each run', async () => {
      const { value } = await ask(
        'study',
        file,
        ...['--workspace', join(home, 'study')],
        '--keep-good-lines',
      );
      const { results, leftOut } = value as {
        results: { pairs: number }[];
        leftOut: (Ran['leftOut'] & { run: string })[];
      };
      expect(results.map(({ pairs }) => pairs > 0)).toEqual([true, true]);
      expect(leftOut.map(({ run, training, heldout }) => [run, training > 0, heldout > 0])).toEqual([
        ['policy on right solutions', true, true],
        ['reward model', true, true],
        ['dpo', true, true],
      ]);
    });

    it('preflight, run, rescore: a policy is trained, estimated, improved by a verifier, and scored again', async () => {
      const sharper = spec('sharper', {
        method: { id: 'grpo', params: { size: 2 } },
        ...from(policy.checkpoints[0].id),
        rewards: [{ id: 'match/numeric' }],
      });
      expect((await ask('preflight', '--spec', sharper, ...at)).value).toMatchObject({ fits: true });
      const { run, leftOut } = (await ask('run', sharper, ...at)).value as Ran;
      expect(leftOut.training + leftOut.problems).toBeGreaterThan(0);
      improved = run.id;
      expect(
        (await ask('rescore', run.id, '--rewards', '[{"id": "length"}, {"id": "match/exact"}]', ...at)).value,
      ).toMatchObject({ rows: 16 });
      expect((await ask('log', run.id, ...at)).value).toMatchObject({ more: false });
      const { value: noted } = await ask('note', run.id, '--question', 'why?', ...at);
      expect(noted).toMatchObject({ question: 'why?' });
      expect((await ask('run-doctor', run.id, ...at)).value).toMatchObject({ runId: run.id, step: 2 });
      expect((await ask('overoptimization', run.id, ...at)).value).toMatchObject({
        proxy: null,
        bestOfN: null,
      });
    });

    it('compare: two runs have a conclusion, or a reason why not', async () => {
      const { value } = await ask('compare', policy.run.id, improved, '--fold', ...at);
      const { groups, leftOut } = value as Conclusion;
      expect(groups.length + leftOut.length).toBe(2);
    });
    it('ceiling, forgetting, head-to-head: what runs lack for them is refused with the reason', async () => {
      expect(await refusal('ceiling', improved, ...at)).toContain("points of 'reward/mean' to fit");
      expect(await refusal('forgetting', improved, improved, '--tasks', 'a,b', ...at)).toContain("named 'a'");
      expect(await refusal('head-to-head', improved, policy.run.id, ...at)).toContain('"where":"runIds"');
    });

    it('answers: those of a run and of a checkpoint become datasets', async () => {
      const ofRun = (await ask('answers', improved, '--to', 'of the run', ...at)).value;
      expect((ofRun as Saved).dataset.rows).toBeGreaterThan(0);
      const sampling = ['--prompts', datasetId, '--query', 'zählt', '--samples', '2', '--max-tokens', '4'];
      const { value } = await ask('answers', policy.checkpoints[0].id, '--to', 'sampled', ...sampling, ...at);
      expect((value as Saved).dataset.rows % 2).toBe(0);
    });

    it('samples: those of a run are sorted, grouped by prompt, and saved', async () => {
      const { value } = await ask('samples', improved, '--sort=-reward', '--limit', '500', ...at);
      const { total, samples } = value as { total: number; samples: { key: number }[] };
      const keys = samples.map(({ key }) => key);
      expect([total, keys]).toEqual([keys.length, keys.toSorted((a, b) => b - a)]);
      const grouped = (await ask('samples', improved, '--group', ...at)).value;
      const { prompts } = grouped as { prompts: { answers: number }[] };
      expect(prompts.reduce((sum, { answers }) => sum + answers, 0)).toBe(total);
      const saved = await ask('samples', improved, '--distinct', '--to-dataset', 'different', ...at);
      expect((saved.value as Saved).dataset.rows).toBeLessThanOrEqual(total);
    });

    it('score: a judge reports that it has no score for an answer that is too long', async () => {
      const judge = (
        await ask(
          'run',
          spec('judge', { method: { id: 'bradley-terry' }, ...from(policy.checkpoints[0].id) }),
          ...at,
        )
      ).value as Ran;
      expect(judge.leftOut.heldout).toBeGreaterThan(0);
      const behind = await ask('rewards', 'pairs', judge.run.id, '--sort', 'surest-error', ...at);
      expect((behind.value as { pairs: unknown[] }).pairs.length).toBeGreaterThan(0);
      const { value: probed } = await ask('probe', judge.run.id, '--limit', '4', ...at);
      expect((probed as { probes: unknown[] }).probes).toHaveLength(11);
      const gold = join(home, 'gold.jsonl');
      writeFileSync(gold, '{"prompt": "wie?", "chosen": "3 Äpfel 🍎", "rejected": "🍎"}');
      expect((await ask('suite', judge.run.id, gold, ...at)).value).toMatchObject({ unread: 0 });
      await ask('inside', judge.run.id, '--prompt', 'wie?', '--answer', '3 Äpfel 🍎', ...at);
      const long = '12345 '.repeat(200);
      const prompt = 'Zoë zählt 3 Äpfel 🍎 – wie viele sind es?';
      const { value } = await ask(
        'score',
        'A: 3',
        long,
        '',
        '--prompt',
        prompt,
        '--run',
        judge.run.id,
        ...at,
      );
      expect((value as { score: number | null }[]).map(({ score }) => typeof score)).toEqual([
        'number',
        'object',
        'number',
      ]);
      const plain = await cli(
        'score',
        'A: 3',
        long,
        '--prompt',
        prompt,
        '--checkpoint',
        judge.checkpoints[0].id,
        ...at,
      );
      expect(plain.out).toContain('1 of 2 answers left out');
    });

    it('export, merge, models, logits, generate: its policy is exported to a folder and used from there', async () => {
      const folder = join(home, 'exported');
      await ask('export', '--checkpoint', policy.checkpoints[0].id, ...at, '--to', folder);
      const adapted = (
        await ask(
          'run',
          spec('adapted', {
            method: { id: 'sft' },
            ...from(policy.checkpoints[0].id),
            adapter: { kind: 'lora', rank: 2 },
          }),
          ...at,
        )
      ).value as Ran;
      await ask('merge', '--checkpoint', adapted.checkpoints[0].id, ...at, '--to', join(home, 'merged'));
      await ask('models', 'add', folder, ...at);
      expect(
        ((await ask('logits', '--model', folder, '--tokens', '1,5,6')).value as number[]).length,
      ).toBeGreaterThan(256);
      const { value } = await ask(
        'generate',
        'Zoë zählt 3 Äpfel 🍎 – wie viele?',
        'Ann has 3 eggs.',
        '--model',
        folder,
        '--max-tokens',
        '8',
      );
      expect((value as { logp: number }[]).map(({ logp }) => Number.isFinite(logp))).toEqual([true, true]);
      const refused = await cli('generate', 'far too long '.repeat(300), '--model', folder, '--json');
      expect(refused.value).toMatchObject({
        error: { kind: 'invalid-input', message: expect.stringContaining('far too long') as string },
      });
    });

    it('export-logs, import-logs: the curves of its policy are written and read as another run', async () => {
      const [to, elsewhere] = [join(home, 'curves'), join(home, 'elsewhere')];
      await ask('export-logs', policy.run.id, '--to', to, '--format', 'tensorboard', ...at);
      const { value } = await ask('import-logs', to, '--workspace', elsewhere);
      expect(value).toMatchObject({ runs: [{ name: 'policy', imported: { damage: null } }], leftOut: [] });
    });

    it('experiment, experiments, queue, run --fork, plan, inheritance: its policy is varied, continued, trained in turn', async () => {
      const base = sftSpec('base', 4);
      const sweep = join(home, 'sweep.json');
      const axes = [{ path: 'optimizer.learningRate', values: [1e-4, 1e-3] }];
      writeFileSync(sweep, JSON.stringify({ name: 'rates', base, axes }));
      const { value } = await ask('experiment', sweep, ...at);
      const { id, rows, state } = value as Experiment;
      expect([state, rows.some(({ isBest }) => isBest)]).toEqual(['done', true]);
      expect((await ask('experiments', 'show', id, ...at)).value).toMatchObject({ id, ended: 2 });
      const fork = ['--fork', `${rows[0].runs[0].runId}@4`, '--set', 'budget.steps=6'];
      expect((await ask('run', ...fork, ...at)).value).toMatchObject({ run: { state: 'done', step: 6 } });
      expect((await ask('queue', ...at)).value).toMatchObject({ waiting: [] });
      const plan = join(home, 'plan.json');
      const b = { id: 'b', use: 'small', spec: from({ node: 'a' } as never) };
      writeFileSync(plan, JSON.stringify({ specs: { small: base }, nodes: [{ id: 'a', use: 'small' }, b] }));
      const { value: done } = await ask('plan', plan, ...at);
      expect(done).toMatchObject({ state: 'done' });
      expect(await refusal('inheritance', (done as Experiment).id, ...at)).toContain('adapt one start');
    });

    it('resume: a stopped run is completed', async () => {
      const bench = await servicesIn(home, { engine: null, path: join(home, 'w') });
      const long = sftSpec('long', 400);
      const { runId } = await bench.api.runs.launch({ spec: long });
      const { promise: going, resolve } = Promise.withResolvers<void>();
      const over = bench.waitForRun(runId, ({ step }) => {
        if (step > 0) resolve();
      });
      await going;
      await bench.api.runs.stop({ id: runId });
      expect((await over).state).toBe('stopped');
      await bench.close();
      expect((await ask('runs', ...at)).value).toContainEqual(expect.objectContaining({ id: runId }));
      const { run, leftOut } = (await ask('resume', runId, ...at)).value as Ran;
      expect([run, leftOut.training > 0]).toMatchObject([{ state: 'done', step: 400 }, true]);
    });

    it('include every command that README.md names', () => {
      const named = new Set(
        [...readme.matchAll(/`(?:npm run cli -- )?([a-z-]+)(?= |`)/g)].flatMap(([, name]) =>
          new RegExp(`npm run cli -- ${name}(?![\\w-])`).test(readme) ? [name] : [],
        ),
      );
      for (const name of named) expect([...covered, ...withoutInput], name).toContain(name);
    });
  },
);
