import { WhetstoneError } from '../../engine/common/errors.ts';
import { href } from './router.svelte.ts';

/** A setting of a copy of a run: its path in the specification, and its value. */
export interface Change {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The address of the launch form with a copy of a run and some settings of it changed. */
export const copyWith = (runId: string, changes: readonly Change[]): string =>
  href(['runs', 'new'], {
    from: runId,
    set: JSON.stringify(Object.fromEntries(changes.map(({ path, value }) => [path.join('.'), value]))),
  });

/** The value that an address holds as JSON. Throws `invalid-input` if it cannot be read. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WhetstoneError('invalid-input', 'The settings in this address cannot be read.', {
      where: 'address',
      hint: 'Open the form by the button that led here again.',
    });
  }
}

/** Names that would change every object of the page instead of a setting. */
const reserved = ['__proto__', 'constructor', 'prototype'];

/** The changes that an address holds. Throws `invalid-input` if they cannot be read. */
export function changesIn(text: string): Change[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = null;
  }
  const isRecord = typeof read === 'object' && read !== null && !Array.isArray(read);
  const changes = Object.entries(isRecord ? (read as object) : {}).map(([path, value]) => ({
    path: path.split('.'),
    value: value as unknown,
  }));
  if (changes.length === 0 || changes.some(({ path }) => path.some((key) => reserved.includes(key))))
    throw new WhetstoneError('invalid-input', 'The settings in this address cannot be read.', {
      where: 'set',
      hint: 'The form was opened without them.',
    });
  return changes;
}
