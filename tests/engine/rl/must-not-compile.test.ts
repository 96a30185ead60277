import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const compiler = here('../../../node_modules/typescript/bin/tsc');

/** The compiler's output, empty if there are no errors. */
const compile = (...args: readonly string[]): string => {
  try {
    return execFileSync(process.execPath, [compiler, ...args], { encoding: 'utf8', cwd: here('.') });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
};

// the compiler takes two seconds on an idle processor, and has taken ninety on a busy one
test(
  'rejects a recipe that lacks a column, reads one too early or uses an undeclared name',
  { timeout: 240_000 },
  () => {
    expect(compile('-p', 'tsconfig.must-not-compile.json')).toBe('');
    expect(
      readFileSync(here('must-not-compile.ts'), 'utf8').match(/^ *\/\/ @ts-expect-error/gm)?.length,
    ).toBeGreaterThanOrEqual(20);
  },
);
