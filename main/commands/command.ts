import type { ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/schema/errors.ts';

export type Values = { readonly [name: string]: string | boolean | (string | boolean)[] | undefined };

export interface Invocation {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly json: boolean;
  /** A line of progress, on standard error. */
  say(text: string): void;
}

/** What a command leaves: a value for `--json`, and lines for people. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** 1 where what was asked about does not hold; the answer is printed all the same. */
  readonly exit?: 0 | 1;
}

/** One command of the command line. Its file and one line in index.ts are all that it needs. */
export interface Command {
  readonly name: string;
  /** What follows the name: `FILE --workspace DIR [--keep-good-lines]`. */
  readonly usage: string;
  readonly summary: string;
  /** Positional arguments that must be there, and how many may follow them. */
  readonly positionals: { readonly least: number; readonly most: number };
  readonly options: ParseArgsOptionsConfig;
  run(invocation: Invocation): Promise<Answer>;
}

export const workspaceOption = { workspace: { type: 'string' } } satisfies ParseArgsOptionsConfig;

/** A flag's text; `invalid-input` where it is missing and nothing stands in for it. */
export function text(values: Values, name: string, fallback?: string): string {
  const value = values[name] ?? fallback;
  if (typeof value !== 'string' || value === '') throw new WhetstoneError('invalid-input', `--${name} is missing.`, { where: `--${name}`, hint: 'See "help" for what the command needs.' });
  return value;
}

/** A flag's number within its bounds. */
export function number(values: Values, name: string, { fallback, least, most, whole = false }: { fallback: number; least: number; most: number; whole?: boolean }): number {
  const given = values[name];
  const value = given === undefined ? fallback : Number(given === '' ? Number.NaN : given);
  if (!(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
    throw new WhetstoneError('invalid-input', `--${name} must be a${whole ? ' whole' : ''} number from ${least} to ${most}.`, { where: `--${name}` });
  }
  return value;
}

/** Lines of columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)), []);
  return rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]))).join('  ')).join('\n');
}

/** How soon a second signal is taken for the first one's echo (a terminal and a launcher both send it), in milliseconds. */
const echoMs = 1000;

/** Calls `action` at the first Ctrl+C; a later one ends the process at once. Answers with how to stop listening. */
export function onInterrupt(action: () => void): () => void {
  let first: number | null = null;
  const hear = (): void => {
    if (first === null) action();
    else if (performance.now() - first > echoMs) process.exit(130);
    first ??= performance.now();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, hear);
  return () => void ['SIGINT', 'SIGTERM'].forEach((signal) => process.off(signal, hear));
}
