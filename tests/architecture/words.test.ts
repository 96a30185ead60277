import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './planted.ts';
import { trackedFiles } from './tracked.ts';

/** One message for each doc comment that begins with “Whether”: “True if …” says which answer means what. */
const vagueDocs = (path: string, text: string): string[] =>
  [...text.matchAll(/\/\*\*\s+(?:\* )?Whether\b/g)].map(
    ({ index }) => `${path}:${text.slice(0, index).split('\n').length}: write “True if …”`,
  );

it('doc comments of booleans say when they are true', () => {
  const sources = trackedFiles(root).filter((path) => /\.(ts|svelte)$/.test(path));
  expect(sources.flatMap((path) => vagueDocs(path, readFileSync(`${root}/${path}`, 'utf8')))).toEqual([]);
});

it('the check finds short and long doc comments', () => {
  const doc = (text: string): string => `/*${text}`;
  const source = ['x;', doc('* Whether it is. */'), doc('*\n * Whether it\n * was.\n */'), '// Whether'].join(
    '\n',
  );
  expect(vagueDocs('a.ts', source)).toEqual(['a.ts:2: write “True if …”', 'a.ts:3: write “True if …”']);
});
