import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './planted.ts';

const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const sections = new Map(
  guide
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n')).trim()]),
);
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
const isPath = (code: string) =>
  /^(\.?[\w-]+\/)*[\w.-]*\.(ts|svelte|cjs|js|json)$|^(engine|main|preload|renderer|tests)\/[\w/-]+$/.test(
    code,
  ) && code.includes('/');

describe('the guide', () => {
  it.each(['an op', 'a method', 'a reward', 'a world', 'an endpoint', 'a screen'])(
    'says how to add %s in less than ten lines',
    (thing) => {
      const text = sections.get(`Add ${thing}`) ?? '';
      expect(text.split('\n').length).toBeGreaterThan(2);
      expect(text.split('\n').length).toBeLessThan(10);
    },
  );
  it('names files that are there', () => {
    const paths = quoted(guide).filter((code) => isPath(code) && !/mine|Name/.test(code));
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** The steps of one section on a throw-away example: a file copied and renamed, and one line in a list. */
interface Example {
  readonly section: string;
  readonly copy: string;
  readonly to: string;
  readonly name: string;
  readonly as?: string;
  /** What the copy says otherwise. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly list: string;
}
const examples: readonly Example[] = [
  {
    section: 'Add a method',
    copy: 'engine/rl/methods/dpo.ts',
    to: 'engine/rl/methods/throwaway.ts',
    name: 'dpo',
    changes: [[`id: 'dpo'`, `id: 'toy/throwaway'`]],
    list: 'engine/rl/methods/index.ts',
  },
  {
    section: 'Add a reward',
    copy: 'engine/rewards/length.ts',
    to: 'engine/rewards/throwaway.ts',
    name: 'length',
    changes: [[`id: 'length'`, `id: 'toy/throwaway'`]],
    list: 'engine/rewards/index.ts',
  },
  {
    section: 'Add a world',
    copy: 'engine/worlds/toy/copy.ts',
    to: 'engine/worlds/toy/throwaway.ts',
    name: 'copy',
    changes: [[`id: 'toy/copy'`, `id: 'toy/throwaway'`]],
    list: 'engine/worlds/index.ts',
  },
  {
    section: 'Add a kind of task',
    copy: 'engine/rl/tasks/kinds/demonstrations.ts',
    to: 'engine/rl/tasks/kinds/throwaway.ts',
    name: 'demonstrations',
    changes: [[`kind: 'demonstrations'`, `kind: 'throwaway'`]],
    list: 'engine/rl/tasks/kinds/index.ts',
  },
  {
    section: 'Add a method',
    copy: 'engine/rl/methods/sft.ts',
    to: 'engine/rl/methods/throwaway-learner.ts',
    name: 'sft',
    as: 'throwawayLearner',
    changes: [
      [`id: 'sft'`, `id: 'toy/throwaway-learner'`],
      [`task: 'demonstrations'`, `task: 'throwaway'`],
    ],
    list: 'engine/rl/methods/index.ts',
  },
];

describe('its steps, followed on throw-away examples', () => {
  const tree = mkdtempSync(join(tmpdir(), 'whetstone-guide-'));
  const edit = (path: string, change: (text: string) => string) => {
    const before = readFileSync(join(tree, path), 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`the step changes nothing in ${path}`);
    writeFileSync(join(tree, path), after);
  };
  const types = async (zone: string): Promise<string> => {
    try {
      await promisify(execFile)(
        process.execPath,
        ['node_modules/typescript/bin/tsc', '-p', zone, '--pretty', 'false'],
        { cwd: tree },
      );
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  beforeAll(() => {
    for (const path of [
      'engine',
      'main',
      'preload',
      'tests/contracts',
      'tests/support',
      'package.json',
      'tsconfig.base.json',
      'vitest.config.ts',
    ]) {
      cpSync(join(root, path), join(tree, path), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    for (const { copy, to, name, as = 'throwaway', changes, list } of examples) {
      cpSync(join(tree, copy), join(tree, to));
      for (const [from, becomes] of [[`export const ${name} `, `export const ${as} `], ...changes])
        edit(to, (text) => text.replace(from, becomes));
      edit(list, (text) => text.replace(/^(export const \w+(: readonly \w+\[\])? = \[)/m, `$1${as}, `));
      const address = relative(dirname(list), to);
      edit(list, (text) => `import { ${as} } from './${address}';\n${text}`);
    }
    edit('engine/tensor/ops/nonlinear.ts', (text) =>
      text.replace(
        /(export const nonlinearOps = \[)/,
        `
const throwawayOp = unary({
  name: 'throwaway', onnx: 'Softplus',
  f: (x) => Math.log1p(Math.exp(x)), vjp: ({ x, g }) => mul(g, sigmoid(x)),
});
export const throwaway = (x: Expr): Expr => throwawayOp([x], {});
$1throwawayOp, `,
      ),
    );
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  it('what is added is found by its contract tests, which pass', async () => {
    const report = join(tree, 'report.json');
    const run = promisify(execFile)(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'contracts',
        '-t',
        'throwaway',
        '--reporter=json',
        `--outputFile=${report}`,
      ],
      { cwd: tree },
    );
    await run.catch((error: { stdout: string; stderr: string }) => {
      if (!existsSync(report)) throw error;
    });
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
    };
    for (const kind of ['method', 'reward', 'world', 'op', 'task-kind']) {
      const results =
        testResults.find(({ name }) => name.endsWith(`every-${kind}.test.ts`))?.assertionResults ?? [];
      expect(results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)).toEqual([]);
      expect(
        results.filter(({ status, fullName }) => status === 'passed' && fullName.includes('throwaway'))
          .length,
        `tests of the new ${kind}`,
      ).toBeGreaterThan(0);
    }
  });

  it('the new files fit the types', async () => expect(await types('engine')).toBe(''), 60_000);

  it('an endpoint without its handler does not compile, and does with it', async () => {
    edit('preload/contract/system.ts', (text) =>
      text.replace('export const system = {', 'export const system = {\n  throwaway: call(nothing, done),'),
    );
    expect(await types('main')).toMatch(/system\.ts.*'throwaway' is missing/);
    edit('main/ipc/system.ts', (text) =>
      text.replace(/(\): Handlers<typeof system> => \(\{)/, '$1\n  throwaway: () => ({ ok: true }),'),
    );
    expect(await types('main')).toBe('');
  });
});
