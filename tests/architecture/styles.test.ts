import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from './planted.ts';
import { literalSpacing, ownTitles } from './styles.ts';
import { trackedFiles } from './tracked.ts';

const styled = trackedFiles(root).filter((path) => /^renderer\/.+\.(svelte|css)$/.test(path));
const of = (check: (path: string, text: string) => string[]) =>
  styled.flatMap((path) => check(path, readFileSync(`${root}/${path}`, 'utf8')));

describe('styles of the page', () => {
  it('use tokens for spacing', () => expect(of(literalSpacing)).toEqual([]));
  it('use one style of section titles', () => expect(of(ownTitles)).toEqual([]));
});

describe('the style checks', () => {
  const sheet = [
    'a {',
    '  padding: 1px 2px;',
    '  margin: 0 -10px calc(var(--space-1) + 1px);',
    '  width: 40px;',
    '  row-gap: 3px;',
    '}',
  ].join('\n');

  it('report pixels in padding, margin and gap, from 3 on, in style sheets and components', () => {
    expect(literalSpacing('a.css', sheet)).toEqual([
      'a.css:3: margin of 10px; take one of --space-1 to --space-6',
      'a.css:5: row-gap of 3px; take one of --space-1 to --space-6',
    ]);
    expect(literalSpacing('A.svelte', `<p>padding: 9px;</p>\n<style>\n${sheet}\n</style>`)).toEqual([
      'A.svelte:5: margin of 10px; take one of --space-1 to --space-6',
      'A.svelte:7: row-gap of 3px; take one of --space-1 to --space-6',
    ]);
  });

  it('report a component that styles h2', () => {
    const component = '<h2>A</h2>\n<style>\n  .a,\n  .b > h2 {\n    margin: 0;\n  }\n  h3 {\n  }\n</style>';
    expect(ownTitles('A.svelte', component)).toEqual(['A.svelte:4: styles h2; take .section-title']);
  });
});
