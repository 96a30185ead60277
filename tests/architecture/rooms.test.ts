import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './planted.ts';
import { trackedFiles } from './tracked.ts';

const MOST_LINES = 25;

/** A room: a folder directly below one of the zones, or below `engine/rl`, with code anywhere in it. */
const roomOf = (path: string): string | undefined =>
  /^(engine\/rl\/[\w-]+|(?:engine|main|preload|renderer)\/[\w-]+)\/.*\.(?:ts|svelte)$/.exec(path)?.[1];
const roomsIn = (files: readonly string[]): string[] => [...new Set(files.flatMap((f) => roomOf(f) ?? []))];

/** Files and folders that a guide names in code spans, without placeholder examples. */
const namedIn = (guide: string): string[] =>
  [...guide.matchAll(/`((?:\.\.\/)*\w[\w./-]*)`/g)]
    .map(([, code]) => code)
    .filter((code) => /\.(ts|svelte|md|py|css)$|\/$/.test(code) && !/\b(mine|name|Name)\./.test(code));

/** True if a path exists, from the root, the zone or the guide's own folder. */
const isThere = (files: readonly string[], folder: string, name: string): boolean =>
  [name, join(folder.split('/')[0], name), join(folder, name)].some((path) =>
    files.some((file) => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`)),
  );

describe('the guides of rooms', () => {
  const files = trackedFiles(root);
  const guides = files.filter((file) => /^(engine|main|preload|renderer)\/.*(README|NOTES)\.md$/.test(file));
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

  it('distinguish rooms from other folders', () => {
    expect(roomsIn(['engine/new/a.ts', 'engine/rl/new/b/c.ts', 'engine/a.ts', 'main/new/a.md'])).toEqual([
      'engine/new',
      'engine/rl/new',
    ]);
  });

  it.each(roomsIn(files))('%s has a README', (room) => {
    expect(guides).toContain(`${room}/README.md`);
  });

  it.each(guides.filter((path) => path.endsWith('README.md')))('%s has at most 25 lines', (path) => {
    expect(textOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  });

  it('reports a planted name without a file', () => {
    expect(namedIn('see `gone.ts`, `notes`, `a/` and `mine.ts`')).toEqual(['gone.ts', 'a/']);
    expect(isThere(['engine/x/here.ts', 'engine/x/a/b.ts'], 'engine/x', 'gone.ts')).toBe(false);
    expect(isThere(['engine/x/here.ts', 'engine/x/a/b.ts'], 'engine/x', 'a/')).toBe(true);
  });

  it.each(guides)('%s names only existing files', (path) => {
    expect(namedIn(textOf(path)).filter((name) => !isThere(files, dirname(path), name))).toEqual([]);
  });
});
