import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copies } from './duplicates.ts';
import { trackedFiles } from './tracked.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const body = (name: string, sign: string): string => `
  /** ${name} */
  export const ${name} = (values: readonly number[], weights: readonly number[]): number => {
    let total = 0, weight = 0;
    for (let at = 0; at < values.length; at++) {
      total ${sign}= values[at] * weights[at];
      weight ${sign}= weights[at];
    }
    return weight === 0 ? 0 : total / weight;
  };`;

test('finds a copied block in another file and in the same one, ignoring comments and layout', () => {
  expect(
    copies([
      ['a.ts', body('sum', '+')],
      ['b.ts', body('sum', '+').replace('/** sum', '/** other').replaceAll('; ', ';\n')],
    ]),
  ).toEqual(['b.ts:3 repeats a.ts:3']);
  expect(copies([['a.ts', `${body('sum', '+')}\n${body('sum', '+')}`]])).toHaveLength(1);
});

test('does not report blocks that differ in an operator or a number', () => {
  expect(
    copies([
      ['a.ts', body('sum', '+')],
      ['b.ts', body('sum', '-')],
      ['c.ts', body('sum', '+').replace('= 0,', '= 1,')],
    ]),
  ).toEqual([]);
});

test('engine/rl has no copied blocks', () => {
  const files = trackedFiles(root).filter((path) => path.startsWith('engine/rl/') && path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(50);
  const read = (which: (path: string) => boolean) =>
    files.filter(which).map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')] as const);
  const isMethod = (path: string): boolean => path.startsWith('engine/rl/methods/');
  expect(copies(read((path) => !isMethod(path)))).toEqual([]);
  // recipes of one family share all but one or two parts, so only a whole recipe counts as a copy
  expect(copies(read(isMethod), 100)).toEqual([]);
});
