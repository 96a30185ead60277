import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './planted.ts';
import { trackedFiles } from './tracked.ts';
import { personal, resolvedIn } from './tree.ts';

const isText = (path: string) =>
  /\.(ts|mjs|cjs|js|json|svelte|css|html|md|yml|yaml|svg|sh)$|^\.[\w./-]+$|^LICENSE$/.test(path);
const self = 'tests/architecture/tree.test.ts';

describe('the tree', () => {
  const files = trackedFiles(root);

  it.each([
    "open('/home/ada/data.jsonl')",
    'see /Users/ada/notes',
    'C:\\Users\\ada',
    'https://registry.example.org/zod',
  ])('reports a planted %s', (line) => {
    expect(personal('a.ts', `// one\n${line}\n`)).toHaveLength(1);
  });
  it.each(["'/tmp/work'", "join(folder, 'work/one')", 'https://example.org/home/ada', '`${base}/root/a`'])(
    'accepts %s',
    (line) => {
      expect(personal('a.ts', line)).toEqual([]);
    },
  );
  it('contains no absolute machine path and no registry host', () => {
    expect(
      files
        .filter((path) => isText(path) && path !== self)
        .flatMap((path) => personal(path, readFileSync(join(root, path), 'utf8'))),
    ).toEqual([]);
  });

  it('the scripts of package.json start existing files', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = Object.values(scripts).flatMap(
      (script) => script.match(/[\w./-]+\.(ts|mjs|cjs|js)\b/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('reports a planted resolved address in the lock file', () => {
    expect(
      resolvedIn(
        '{"packages":{"":{},"node_modules/a":{"version":"1.0.0","resolved":"https://example.org/a.tgz"}}}',
      ),
    ).toEqual(['node_modules/a']);
  });
  it('the lock file names no registry host', () => {
    expect(resolvedIn(readFileSync(join(root, 'package-lock.json'), 'utf8'))).toEqual([]);
  });

  it('has the expected top-level entries', () => {
    const top = new Set(files.map((path) => path.split('/')[0]));
    for (const folder of ['src', 'shared', 'utils', 'common', 'docs']) expect(top).not.toContain(folder);
  });
});
