import type { ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { readNumber } from '../../engine/common/number-text.ts';

export type Values = { readonly [name: string]: string | boolean | (string | boolean)[] | undefined };

export interface Invocation {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly json: boolean;
  /** Prints a line of progress on standard error. */
  log(text: string): void;
}

/** Output of a command: a value for `--json`, and text. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** 1 if a check failed; the output is printed anyway. */
  readonly exit?: 0 | 1;
}

/** An argument that takes the id of a dataset or a label set, or its name. */
export interface NamedArgument {
  readonly kind: 'dataset' | 'label set';
  /** First positional argument of this kind, from 0, and the last one if there are several. */
  readonly from?: number;
  readonly to?: number;
  readonly option?: string;
  /** Actions (the first positional argument) that take something else there. */
  readonly unless?: readonly string[];
  /** The name ends at the first of these characters. */
  readonly until?: RegExp;
  /** The argument may also be something else, which stays as it is. */
  readonly isOptional?: boolean;
}

/** One command of the command line, declared by its file and one line in index.ts. */
export interface Command {
  readonly name: string;
  /** Arguments after the name: `FILE --workspace DIR [--keep-good-lines]`. */
  readonly usage: string;
  readonly summary: string;
  /** Arguments of a typical call; an upper-case word stands for an id. */
  readonly example: string;
  /** Least and most number of positional arguments. */
  readonly positionals: { readonly least: number; readonly most: number };
  readonly options: ParseArgsOptionsConfig;
  /** Arguments that may be names; `run` gets the ids. */
  readonly names?: readonly NamedArgument[];
  run(invocation: Invocation): Promise<Answer>;
}

/** The first argument is a dataset. */
export const datasetFirst: readonly NamedArgument[] = [{ kind: 'dataset', from: 0 }];

export const workspaceOption = { workspace: { type: 'string' } } satisfies ParseArgsOptionsConfig;

/** A flag's text or the fallback. Throws `invalid-input` if both are missing. */
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
  /** True if `least` itself is refused. */
  readonly openLeast?: boolean;
}

/**
 * Parses a flag's number within its bounds. Throws `invalid-input` for anything else, so that no flag is read
 * as a number other than the typed one.
 */
export function parseNumberFlag(
  flag: string,
  given: string,
  { least, most, whole = false, openLeast = false }: NumberBounds,
): number {
  const read = readNumber(given, { integer: whole, low: least, high: most, openLow: openLeast });
  if (read.ok) return read.value;
  const range = openLeast ? `above ${least}, at most ${most}` : `from ${least} to ${most}`;
  const kind = `a${whole ? ' whole' : ''} number ${range}`;
  throw new WhetstoneError('invalid-input', `--${flag} must be ${kind}.`, {
    where: `--${flag}`,
    hint: `${read.message.charAt(0).toUpperCase()}${read.message.slice(1)}.`,
  });
}

/** A flag's number within its bounds, or `fallback` without the flag. */
export function number(
  values: Values,
  name: string,
  { fallback, ...bounds }: NumberBounds & { readonly fallback: number },
): number {
  const given = values[name];
  return given === undefined ? fallback : parseNumberFlag(name, String(given), bounds);
}

/** Comma-separated whole numbers. */
export const numbers = (
  values: Values,
  name: string,
  bounds: Omit<NumberBounds, 'whole'>,
  fallback?: string,
): number[] =>
  text(values, name, fallback)
    .split(',')
    .map((part) => parseNumberFlag(name, part, { ...bounds, whole: true }));

/** Lines of columns, padded to the widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]))).join('  '))
    .join('\n');
}

/**
 * A second signal within this time is an echo of the first (a terminal and a launcher both send it), in
 * milliseconds.
 */
const echoMs = 1000;

/** Calls `action` at the first Ctrl+C; a later one exits at once. Returns a function that stops listening. */
export function onInterrupt(action: () => void): () => void {
  let first: number | null = null;
  const onSignal = (): void => {
    if (first === null) action();
    else if (performance.now() - first > echoMs) process.exit(130);
    first ??= performance.now();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return () => void ['SIGINT', 'SIGTERM'].forEach((signal) => process.off(signal, onSignal));
}
