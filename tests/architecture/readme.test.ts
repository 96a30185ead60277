import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './planted.ts';
import { trackedFiles } from './tracked.ts';

const LARGEST_BYTES = 120_000;
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = textOf('README.md');
const guides = readme + textOf('CONTRIBUTING.md') + textOf('tests/bench/README.md');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path]) => path);

describe('README.md', () => {
  it('shows two or three screens, each in light and dark and described in words', () => {
    const names = pictures.map((path) => path.replace(/-(light|dark)\.png$/, ''));
    const shown = [...new Set(names)];
    expect([2, 3]).toContain(shown.length);
    expect(pictures.toSorted()).toEqual(
      shown.flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]).toSorted(),
    );
    expect(readme.match(/<img [^>]*alt="[^"]{20,}"/g)).toHaveLength(shown.length);
  });
  it.each(pictures)('%s is a small PNG', (path) => {
    expect(existsSync(join(root, path)), 'npm run screenshots takes it').toBe(true);
    expect(statSync(join(root, path)).size).toBeLessThanOrEqual(LARGEST_BYTES);
    expect(readFileSync(join(root, path)).subarray(1, 4).toString()).toBe('PNG');
  });
  it('shows every stored screenshot', () => {
    const stored = trackedFiles(root).filter((path) => path.startsWith('assets/screenshots/'));
    expect(stored.toSorted()).toEqual(pictures.toSorted());
  });
});

describe('the guides', () => {
  it.each(Object.keys(scripts))('name the script %s', (name) => {
    expect(guides).toMatch(new RegExp(`npm (run )?(-s )?${name}\\b`));
  });
  it('name no script that does not exist', () => {
    const named = [...guides.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  });
});
