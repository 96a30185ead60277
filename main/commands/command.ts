import type { ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { readNumber } from '../../engine/common/number-text.ts';

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
  if (typeof value !== 'string' || value === '')
    throw new WhetstoneError('invalid-input', `--${name} is missing.`, {
      where: `--${name}`,
      hint: 'See "help" for what the command needs.',
    });
  return value;
}

interface NumberBounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

/**
 * The number that was given for a flag, within its bounds. Throws `invalid-input` for anything else: no flag
 * is read as another number than was typed.
 */
export function numberGiven(
  flag: string,
  given: string,
  { least, most, whole = false }: NumberBounds,
): number {
  const read = readNumber(given, { integer: whole, low: least, high: most });
  if (read.ok) return read.value;
  const kind = `a${whole ? ' whole' : ''} number from ${least} to ${most}`;
  throw new WhetstoneError('invalid-input', `--${flag} must be ${kind}.`, {
    where: `--${flag}`,
    hint: `${read.message.charAt(0).toUpperCase()}${read.message.slice(1)}.`,
  });
}

/** A flag's number within its bounds, or `fallback` where the flag was not given. */
export function number(
  values: Values,
  name: string,
  { fallback, ...bounds }: NumberBounds & { readonly fallback: number },
): number {
  const given = values[name];
  return given === undefined ? fallback : numberGiven(name, String(given), bounds);
}

/** Whole numbers with commas between them. */
export const numbers = (
  values: Values,
  name: string,
  bounds: Omit<NumberBounds, 'whole'>,
  fallback?: string,
): number[] =>
  text(values, name, fallback)
    .split(',')
    .map((part) => numberGiven(name, part, { ...bounds, whole: true }));

/** Lines of columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]))).join('  '))
    .join('\n');
}

/**
 * How soon a second signal is taken for the first one's echo (a terminal and a launcher both send it), in
 * milliseconds.
 */
const echoMs = 1000;

/**
 * Calls `action` at the first Ctrl+C; a later one ends the process at once. Answers with how to stop
 * listening.
 */
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
