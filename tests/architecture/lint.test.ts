import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { plant, root } from './planted.ts';
import { trackedFiles } from './tracked.ts';

/** Planted faults by file, each with the rule that must report it. */
const planted: { readonly [path: string]: readonly [text: string, rule: string] } = {
  'engine/floating.ts': ['const f = async () => 1;\nf();\n', 'no-floating-promises'],
  'engine/random.ts': ['export const x = Math.random();\n', 'no-restricted-properties'],
  'main/any.ts': ['export const x = (y: any) => y;\n', 'no-explicit-any'],
  'main/two.ts': ['export let x = 1,\n  y = 2;\nx += y;\n', 'one-var'],
  'main/log.ts': ["console.log('x');\n", 'no-console'],
  'renderer/Html.svelte': [
    '<script lang="ts">let { x } = $props();</script>\n{@html x}\n',
    'no-at-html-tags',
  ],
  'renderer/state.svelte.ts': ['export const x = (y: any) => y;\n', 'no-explicit-any'],
};

const { folder, remove } = plant({
  ...Object.fromEntries(Object.entries(planted).map(([path, [text]]) => [path, text])),
  'tsconfig.json': '{ "extends": "./tsconfig.base.json", "include": ["**/*.ts"] }',
});
for (const path of ['.oxlintrc.json', 'eslint.config.js', 'tsconfig.base.json'])
  cpSync(join(root, path), join(folder, path));
afterAll(remove);

const zones = ['engine', 'main', 'renderer'];
const outputOf = (...args: string[]): string =>
  spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;

it('the linters report each planted fault', () => {
  const oxlint = outputOf('node_modules/oxlint/bin/oxlint', '--type-aware', '--format', 'json', ...zones);
  const eslint = outputOf('node_modules/eslint/bin/eslint.js', '--format', 'json', 'renderer');
  const found = new Set<string>();
  const { diagnostics } = JSON.parse(oxlint) as { diagnostics: { filename: string; code: string }[] };
  for (const { filename, code } of diagnostics) found.add(`${filename}: ${/\((.+)\)/.exec(code)?.[1]}`);
  for (const { filePath, messages } of JSON.parse(eslint) as {
    filePath: string;
    messages: { ruleId: string }[];
  }[])
    for (const { ruleId } of messages)
      found.add(`${filePath.slice(folder.length + 1)}: ${ruleId.split('/').at(-1)}`);
  expect([...found].sort(), oxlint).toEqual(
    expect.arrayContaining(Object.entries(planted).map(([path, [, rule]]) => `${path}: ${rule}`)),
  );
});

it('no file disables a lint rule or the compiler', () => {
  const off = new RegExp(
    ['(es|ox)lint-disa' + 'ble', '@ts-(ignore|nocheck)', 'prettier-' + 'ignore'].join('|'),
  );
  const files = trackedFiles(root).filter((path) => /\.(ts|svelte|js|cjs|mjs)$/.test(path));
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((path) => off.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});

it('zod is imported as a namespace, so that bundles leave out what is not used: 370 kB of each', () => {
  const files = trackedFiles(root).filter((path) => path.endsWith('.ts'));
  const whole = (text: string): boolean => /import (type )?\{[^}]*\bz\b[^}]*\} from 'zod'/.test(text);
  expect(whole(`import { ${'z'} } from 'zod';`)).toBe(true);
  expect(files.filter((path) => whole(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});
