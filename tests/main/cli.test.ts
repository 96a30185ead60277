import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../main/commands/arguments.ts';
import { helpOf } from '../../main/commands/help.ts';
import { commands } from '../../main/commands/index.ts';
import { createFolder } from '../../main/store/folder.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesIn, smallSpec } from '../support/workspace.ts';

describe('the command line', () => {
  it('imports a file, with progress on standard error and one JSON value on standard output', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.jsonl');
    writeFileSync(path, '{"prompt": "q", "completion": "a"}\n{"prompt": "q", "completion": "b"}\n');
    const { code, out, said, value } = await cli('import', path, '--workspace', join(folder, 'w'), '--json');
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, 1]);
    expect(value).toMatchObject({ name: 'rows', rows: 2 });
    expect(said).toContain('100 %');
    const progress = said.split('\n').filter((line) => line.startsWith('import: '));
    expect(progress, 'no line is repeated').toEqual([...new Set(progress)]);
  });

  it('reports an error with its place and a hint, and exits with 1', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'broken.jsonl');
    writeFileSync(path, '{"prompt": "q", "completion": "a"}\n{"prompt"');
    const broken = await cli('import', path, '--workspace', join(folder, 'w'), '--json');
    expect([broken.code, broken.value]).toMatchObject([
      1,
      { error: { kind: 'invalid-input', where: `${path}:2` } },
    ]);
    const plain = await cli('import', path, '--workspace', join(folder, 'w'));
    expect([plain.code, plain.out]).toEqual([1, '']);
    expect(plain.said).toContain(`${path}:2`);
  });

  it.each([
    [['runs', '--workspce', 'x'], 'Unknown option'],
    [['runs'], '--workspace is missing'],
    [['import'], 'given 0 arguments'],
    [['fly'], 'no command'],
    [['generate', 'q', '--samples', 'many', '--workspace', 'x'], '--samples must be'],
  ])('refuses %j', async (args, word) => {
    const { code, value } = await cli(...args, '--json');
    expect(code).toBe(1);
    expect(value).toMatchObject({ error: { kind: 'invalid-input' } });
    expect((value as { error: { message: string } }).error.message).toContain(word);
  });

  it('names the process that holds the workspace', async () => {
    const path = join(temporaryFolder(), 'w');
    const holder = await createFolder(path);
    const { value } = await cli('runs', '--workspace', path, '--json');
    await holder.close();
    expect(value).toMatchObject({
      error: {
        kind: 'conflict',
        message: `This workspace is open in another Whetstone (process ${process.pid}).`,
      },
    });
  });

  it('finds, changes and restores rows of a dataset', async () => {
    const folder = temporaryFolder();
    const workspace = join(folder, 'w');
    const path = join(folder, 'rows.jsonl');
    const lines = ['yes', 'no', 'a longer answer'].map((completion) =>
      JSON.stringify({ prompt: 'q', completion }),
    );
    writeFileSync(path, lines.join('\n'));
    const { value } = await cli('import', path, '--workspace', workspace, '--json');
    const { id } = value as { id: string };
    const run = async (...args: string[]) => await cli(...args, '--workspace', workspace, '--json');
    expect((await run('curate', id, '--query', 'length>5', '--exclude')).value).toMatchObject({ rows: 1 });
    const sorted = await run('rows', id, '--query', '', '--sort=-length', '--limit', '1');
    expect(sorted.value).toMatchObject({ total: 2, rows: [{ answer: 'yes' }] });
    expect((await run('undo', id)).value).toMatchObject({ event: 'undo' });
    expect((await run('rows', id)).value).toMatchObject({ total: 3 });
    expect((await run('curate', id, '--rows', '0,1', '--set', 'mark=right')).value).toMatchObject({
      rows: 2,
    });
    expect((await run('rows', id, '--query', 'right')).value).toMatchObject({ total: 2 });
    expect((await run('history', id)).value).toMatchObject([
      { event: 'edit' },
      { event: 'undo' },
      { event: 'exclude' },
    ]);
    const refused = [
      await run('curate', id, '--exclude'),
      await run('curate', id, '--rows', '0', '--exclude', '--restore'),
      await run('rows', id, '--query', 'length>many'),
    ];
    expect(refused.map(({ value: each }) => each)).toMatchObject([
      { error: { kind: 'invalid-input' } },
      { error: { kind: 'invalid-input' } },
      { error: { kind: 'invalid-input', where: 'length>many' } },
    ]);
  });

  it('writes labels to a file, and copies a workspace', async () => {
    const folder = temporaryFolder();
    const workspace = join(folder, 'w');
    const { store, close } = await createFolder(workspace);
    const set = await store.labelSets.create({
      name: '',
      from: { kind: 'dataset', datasetId: await datasetForTest(store) },
      pairsPerPrompt: 1,
      onlyDiffering: true,
      seed: 0,
    });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    await store.labels.decideMany(
      'script',
      pairs.map((p) => ({ pairId: p.pairId, verdict: 'a' })),
    );
    await close();
    const target = join(folder, 'labels.jsonl');
    expect(
      (await cli('label-export', target, '--set', set.id, '--workspace', workspace, '--json')).value,
    ).toEqual({ path: target, rows: pairs.length });
    const lines = readFileSync(target, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual(pairs.map((p) => ({ ...p, verdict: 'a' })));
    expect(
      (await cli('workspace', 'backup', join(folder, 'copy'), '--workspace', workspace, '--json')).code,
    ).toBe(0);
    expect((await cli('runs', '--workspace', join(folder, 'copy'), '--json')).value).toEqual([]);
  });

  it(
    'runs toy runs of methods and prints the result of each seed; rejects methods without one before ' +
      'anything runs',
    async () => {
      const { code, value, said } = await cli('methods', '--sanity', 'sft,dpo', '--seeds', '1', '--json');
      expect([code, value]).toMatchObject([
        0,
        [
          { id: 'sft', atMost: 0.2, ok: true, seeds: [{ seed: 1, reached: true }] },
          { id: 'dpo', atLeast: 0.9, ok: true, seeds: [{ seed: 1, reached: true }] },
        ],
      ]);
      expect(said).toContain('dpo, seed 1');
      for (const [args, error] of [
        [['--sanity', 'sft,toString'], { kind: 'not-found', where: '--sanity' }],
        [['--sanity', 'sample'], { kind: 'unsupported', where: '--sanity' }],
        [['--sanity', 'sft', '--seeds', '1,,2'], { kind: 'invalid-input', where: '--seeds' }],
      ] as const)
        expect(await cli('methods', ...args, '--json')).toMatchObject({
          code: 1,
          value: { error },
          said: expect.not.stringContaining('seed 1'),
        });
    },
  );

  it('prints help for every command', async () => {
    const { code, out } = await cli('help');
    expect(code).toBe(0);
    for (const { name, usage, summary } of commands)
      expect(out).toContain(`  ${`${name} ${usage}`.trim()}\n      ${summary}`);
    expect(new Set(commands.map((c) => c.name)).size).toBe(commands.length);
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    'prints usage, summary and an example of %s that it can read',
    (name, command) => {
      const out = helpOf(command);
      expect(out).toContain(`${name} ${command.usage}`.trim());
      expect(out).toContain(command.summary);
      const [, example = ''] = /^Example: npm run -s cli -- (.+)$/m.exec(out) ?? [];
      const words = [...example.replace(/ > \S+$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain,
      );
      expect(words[0]).toBe(name);
      expect(() => parseArguments(command, words.slice(1))).not.toThrow();
    },
  );

  it('prints the help of one command, and refuses that of another word or of two', async () => {
    const [asked, flagged, json, unknown, two] = await Promise.all([
      cli('help', 'run'),
      cli('run', '--help'),
      cli('help', 'run', '--json'),
      cli('help', 'fly', '--json'),
      cli('help', 'run', 'runs', '--json'),
    ]);
    const command = commands.find(({ name }) => name === 'run');
    expect(asked.out.trimEnd()).toBe(command && helpOf(command));
    expect(flagged.out).toBe(asked.out);
    expect(json.value).toEqual({
      name: 'run',
      usage: command?.usage,
      summary: command?.summary,
      example: command?.example,
    });
    expect(unknown.value).toMatchObject({ error: { message: "There is no command 'fly'." } });
    expect(two.value).toMatchObject({ error: { kind: 'invalid-input', where: 'help' } });
  });

  it('resumes a stopped run to its end, and explains why another run cannot be resumed', async () => {
    const home = temporaryFolder();
    const path = join(home, 'workspace');
    const bench = await servicesIn(home, { engine: null, path });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 1200, batch: 8 } }) });
    const { promise: going, resolve } = Promise.withResolvers<void>();
    const over = bench.waitForRun(runId, ({ step }) => {
      if (step > 0) resolve();
    });
    await going;
    await bench.api.runs.stop({ id: runId });
    const { state, step } = await over;
    expect(state).toBe('stopped');
    const held = await cli('resume', runId, '--workspace', path, '--json');
    expect(held.value).toMatchObject({
      error: { kind: 'conflict', message: expect.stringContaining(`process ${process.pid}`) },
    });
    await bench.close();

    const { code, said, value } = await cli('resume', runId, '--workspace', path, '--json');
    expect([code, value]).toMatchObject([
      0,
      {
        run: { id: runId, state: 'done', attempt: 2, step: 1200 },
        checkpoints: [{ step: 1200, final: true }, { step }],
      },
    ]);
    expect(said).toContain(`resumes from its checkpoint of step ${step}`);
    expect(await cli('resume', runId, '--workspace', path, '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'conflict', where: runId, message: expect.stringContaining('is done') } },
    });
    expect(await cli('resume', 'no-such-run', '--workspace', path, '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'not-found', where: 'no-such-run' } },
    });
    expect(await cli('resume', runId, '--workspace', join(home, 'nowhere'), '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'not-found' } },
    });
  });

  it('estimates a run, and rejects one that does not fit before creating it', async () => {
    const folder = temporaryFolder();
    const spec = join(folder, 'spec.json');
    writeFileSync(spec, JSON.stringify({ ...smallSpec(), budget: { steps: 3, batch: 1024 } }));
    const at = ['--workspace', join(folder, 'w'), '--json'];
    const fits = await cli('preflight', '--spec', spec, ...at);
    expect(fits.value).toMatchObject({
      fits: true,
      steps: 3,
      dryRun: { secondsPerStep: expect.toSatisfy(Number.isFinite) },
      tooLong: 0,
      remedies: [],
    });
    const needed = (fits.value as { totalBytes: number }).totalBytes;
    const refused = await cli('run', spec, '--limit-mb', String(Math.max(1, needed / 1e6 - 1)), ...at);
    expect([refused.code, refused.value]).toMatchObject([
      1,
      { error: { kind: 'out-of-memory', where: 'memory', hint: expect.stringMatching(/→/) } },
    ]);
    expect((await cli('runs', ...at)).value).toEqual([]);
    const despite = await cli(
      'run',
      spec,
      '--limit-mb',
      String(Math.max(1, needed / 1e6 - 1)),
      '--anyway',
      ...at,
    );
    expect(despite.value).toMatchObject({ run: { state: 'done', spec: { budget: { overcommit: true } } } });
    const ran = await cli('run', spec, ...at);
    expect(ran.said).toContain('memory: about');
    const plain = await cli('run', spec, '--workspace', join(folder, 'w'));
    expect(plain.out).toMatch(/is done after 3 steps\.\nIts checkpoint of step 3: [0-9a-f-]{36}\n/);
    expect(ran.value).toMatchObject({
      run: { state: 'done' },
      results: expect.arrayContaining([
        {
          kind: 'preflight',
          step: 3,
          attempt: 1,
          value: expect.objectContaining({ memoryError: expect.toSatisfy(Number.isFinite) }),
        },
      ]),
    });
  });
});
