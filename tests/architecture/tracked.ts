import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files of the project on disk, except those that `.gitignore` excludes. Paths use `/` and are relative to
 * `root`.
 */
export function trackedFiles(root: string): string[] {
  const ignored = [
    '.git',
    ...readFileSync(join(root, '.gitignore'), 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#')),
  ];
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      if (ignored.some((pattern) => matches(pattern, entry.name))) return [];
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
    });
  return walk('');
}

const matches = (pattern: string, name: string) =>
  pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern.replaceAll('/', '');
