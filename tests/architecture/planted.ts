import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const { options, ...ruleSet } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  options: object;
} & IFlattenedRuleSet;
export const ruleNames = (ruleSet.forbidden ?? []).map((rule) => rule.name ?? '');

/** Checks the existing folders of `baseDir` against the boundary rules of the project. */
export async function violations(
  baseDir: string,
  folders: string[],
): Promise<{ rule: string; from: string; to: string }[]> {
  const { output } = await cruise(folders, { ...options, ruleSet, validate: true, baseDir });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    from,
    to,
  }));
}

/**
 * Creates a temporary tree with these files, `node_modules` and `package.json` of the project; `remove`
 * deletes it.
 */
export function plant(files: { readonly [path: string]: string }): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-planted-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
