import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
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
/** The steps of a section; fails where there is none. */
const step = (section: string): string => {
  const text = sections.get(section);
  if (text === undefined) throw new Error(`CONTRIBUTING.md has no section '${section}'`);
  return text;
};
const fences = /^ *```[^]*?```$/gm;
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
const isPath = (code: string) =>
  /^(\.?[\w-]+\/)*[\w.-]*\.(ts|svelte|cjs|js|json)$|^(engine|main|preload|renderer|tests)\/[\w/-]+$/.test(
    code,
  ) && code.includes('/');

describe('the guide', () => {
  it.each([
    'an op',
    'a method',
    'a kind of task',
    'a reward',
    'a world',
    'a column of a result',
    'an endpoint',
    'a screen',
  ])('says how to add %s in less than twenty lines', (thing) => {
    const steps = step(`Add ${thing}`).replace(fences, '');
    expect(steps.split('\n').filter(Boolean).length).toBeGreaterThan(2);
    expect(steps.split('\n').filter(Boolean).length).toBeLessThan(20);
  });
  it('names only existing files', () => {
    const paths = quoted(guide.replace(fences, '')).filter((code) => isPath(code) && !/mine|Mine/.test(code));
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** Joins the lines of a section, so that no `quoted` word or command is broken by the formatter. */
const inOneLine = (section: string) => step(section).replace(fences, '').replace(/\s+/g, ' ');
const part = (section: string, pattern: RegExp): readonly string[] => {
  const found = pattern.exec(inOneLine(section));
  if (!found) throw new Error(`'${section}' of CONTRIBUTING.md says nothing like ${pattern.source}`);
  return found.slice(1);
};

describe('steps, followed word for word', () => {
  const tree = mkdtempSync(join(tmpdir(), 'whetstone-guide-'));
  const edit = (path: string, change: (text: string) => string) => {
    const before = readFileSync(join(tree, path), 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`the step changes nothing in ${path}`);
    writeFileSync(join(tree, path), after);
  };
  /** Runs a program in the copy; returns its standard output and error, and whether it exited with 0. */
  const ran = async (program: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> => {
    // environment variables of this test run would affect the inner one
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')),
    );
    const run = promisify(execFile)(program, args, {
      cwd: tree,
      env: { ...env, NO_COLOR: '1', NODE_COMPILE_CACHE: join(tree, 'compiled') },
    });
    try {
      const { stdout, stderr } = await run;
      return { ok: true, output: stdout + stderr };
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return { ok: false, output: stdout + stderr };
    }
  };
  const types = async (zone: string): Promise<string> => {
    const tsc = [
      'node_modules/@typescript/native/bin/tsc',
      '--singleThreaded',
      '-p',
      zone,
      '--pretty',
      'false',
    ];
    const { ok, output } = await ran(process.execPath, tsc);
    return ok ? '' : output;
  };
  /** Runs the commands of a section; at least one test must run, and all must pass. */
  const runCommands = async (section: string): Promise<void> => {
    const commands = quoted(inOneLine(section)).filter((code) => code.startsWith('npm run '));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { ok, output } = await ran('npm', command.split(' ').slice(1));
      expect(ok, `${command}\n${output}`).toBe(true);
      if (command.includes('vitest')) expect(output, command).toMatch(/Tests\s+[1-9]\d* passed/);
    }
  };

  /** “Copy `a` to `b`” with a new id, and “Add `mine` to the list in `c`”. */
  const copyAndList = (section: string): void => {
    const [from, to] = part(section, /Copy `([^`]+)`.*? to `([^`]+)`/);
    const [name, list] = part(section, /Add `(\w+)` to the list in `([^`]+)`/);
    const before = basename(from, '.ts');
    cpSync(join(tree, from), join(tree, to));
    edit(to, (text) =>
      text
        .replace(`export const ${before} `, `export const ${name} `)
        .replace(new RegExp(`(id|kind): '(.*/)?${before}'`), `$1: '$2${name}'`),
    );
    const address = relative(dirname(list), to).replaceAll('\\', '/');
    edit(
      list,
      (text) =>
        `import { ${name} } from './${address}';\n` +
        text.replace(/^(export const \w+(: readonly \w+\[\])? = \[)/m, `$1${name}, `),
    );
  };

  beforeAll(() => {
    for (const path of ['engine', 'main', 'preload', 'renderer', 'tests', 'package.json'])
      cpSync(join(root, path), join(tree, path), { recursive: true });
    for (const path of ['tsconfig.base.json', 'vitest.config.ts', 'vite.config.ts', 'package-lock.json'])
      cpSync(join(root, path), join(tree, path));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  it('add an op', async () => {
    const section = 'Add an op';
    const [code] = /```ts\n([^]*?)```/.exec(step(section))?.slice(1) ?? [''];
    const [name, list] = part(section, /Add `(\w+)` to the list at the foot of `([^`]+)`/);
    edit(list, (text) => text.replace(/(export const \w+Ops = \[)/, `${code}\n$1${name}, `));
    await runCommands(section);
  });

  it.each(['Add a method', 'Add a kind of task', 'Add a reward', 'Add a world'])('%s', async (section) => {
    copyAndList(section);
    await runCommands(section);
  });

  it('records that the method reaches its bound', () => {
    const records = readFileSync(join(tree, 'engine/rl/tools/sanity-record.json'), 'utf8');
    expect(JSON.parse(records)).toMatchObject({ mine: { ok: true } });
  });

  it('the added code passes the type check', async () => expect(await types('engine')).toBe(''));

  it('a method that learns from the new kind of task passes the type check', async () => {
    cpSync(join(tree, 'engine/rl/methods/sft.ts'), join(tree, 'engine/rl/methods/of-mine.ts'));
    edit('engine/rl/methods/of-mine.ts', (text) => text.replace("task: 'demonstrations'", "task: 'mine'"));
    expect(await types('engine')).toBe('');
  });

  it('add a column of a result', async () => {
    const section = 'Add a column of a result';
    const [list, line] = part(section, /to the list in `([^`]+)`: `([^`]+)`/);
    edit(list, (text) => text.replace('const columns: readonly MeasureColumn[] = [', `$&\n    ${line}`));
    await runCommands(section);
  });

  it('add an endpoint', async () => {
    const section = 'Add an endpoint';
    const [contract, described] = part(section, /in `([^`]+)` say `([^`]+)`/);
    const [handlers, handled] = part(section, /in `([^`]+)` it is `([^`]+)`/);
    const [cases, given] = part(section, /invalid input in `([^`]+)`: `([^`]+)`/);
    const name = described.split(':')[0];
    edit(contract, (text) => text.replace('export const system = {', `$&\n  ${described}`));
    expect(await types('main')).toMatch(new RegExp(`system\\.ts.*'${name}' is missing`));
    edit(handlers, (text) => text.replace(/\): Handlers<typeof system> => \(\{/, `$&\n  ${handled}`));
    expect(await types('main')).toBe('');
    edit(cases, (text) => text.replace(/^ {2}system: \{/m, `$&\n    ${given}`));
    await runCommands(section);
  });

  it('add a screen', async () => {
    const section = 'Add a screen';
    const [view] = part(section, /Write `([^`]+)`/);
    const [list, line] = part(section, /to the list in `([^`]+)`: `([^`]+)`/);
    const name = basename(view, '.svelte');
    writeFileSync(join(tree, view), '<h1>Mine</h1>\n');
    edit(
      list,
      (text) =>
        `import ${name} from './${relative(dirname(list), view).replaceAll('\\', '/')}';\n` +
        text.replace('export const screens: readonly Screen[] = [', `$&\n  ${line}`),
    );
    const [texts, record] = part(section, /in three sentences in `([^`]+)`: `([^`]+)`/);
    edit(texts, (text) => text.replace(/^export const help: .* = \{/m, `$&\n  ${record}`));
    await runCommands(section);
  });
});
