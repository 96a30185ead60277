/** Binds arguments to parameters. */
import { fail, Float, truth, typeName, type Arguments, type Value } from './values.ts';

/** The value of each parameter, undefined if absent. Throws for unknown arguments. */
export const bind = <const N extends readonly string[]>(
  name: string,
  { positional, named }: Arguments,
  parameters: N,
): { readonly [P in N[number]]: Value | undefined } => {
  if (positional.length > parameters.length)
    fail(`${name} takes at most ${parameters.length} arguments, and ${positional.length} were given`);
  const found = new Map<string, Value>(positional.map((value, at) => [parameters[at], value]));
  for (const [key, value] of named) {
    if (!parameters.includes(key) || found.has(key)) fail(`${name} takes no argument ${key} here`);
    found.set(key, value);
  }
  return Object.fromEntries(found) as { readonly [P in N[number]]: Value | undefined };
};

/** The text of a required argument. */
export const textOf = (value: Value | undefined): string =>
  typeof value === 'string'
    ? value
    : fail(`text was expected, and not ${value === undefined ? 'nothing' : `a ${typeName(value)}`}`);

export const textOr = <D>(value: Value | undefined, otherwise: D): string | D =>
  value === undefined || value === null
    ? otherwise
    : typeof value === 'string'
      ? value
      : fail(`text was expected, and not a ${typeName(value)}`);

export const countOr = <D>(value: Value | undefined, otherwise: D): number | D => {
  if (value === undefined || value === null) return otherwise;
  return typeof value === 'number' || typeof value === 'boolean'
    ? Number(value)
    : fail(`a whole number was expected, and not a ${typeName(value)}`);
};

export const flagOr = (value: Value | undefined, otherwise: boolean): boolean =>
  value === undefined ? otherwise : truth(value);

/** A number as Python's int or float. */
export const numeric = (value: number, isFloat: boolean): number | Float =>
  isFloat ? new Float(value) : value;
