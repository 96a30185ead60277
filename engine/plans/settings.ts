/** Settings of a specification by path. */
import { WhetstoneError } from '../common/errors.ts';

export type Json = Record<string, unknown>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects merged field by field; anything else of the second replaces that of the first. */
export const merged = (under: Json, over: Json): Json => ({
  ...under,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const before = under[key];
      // a source, a task or a method of another kind is another object
      const same =
        isRecord(before) && isRecord(value) && kindOf(before) === (kindOf(value) ?? kindOf(before));
      return [key, same ? merged(before, value) : value];
    }),
  ),
});

const kindOf = (value: Json): unknown => value.kind ?? value.id;

/** A copy with one setting changed. Throws `invalid-input` for a path through a value without fields. */
export function withSetting(
  value: unknown,
  [key, ...rest]: readonly string[],
  to: unknown,
  path: string,
): unknown {
  if (Array.isArray(value)) {
    const at = Number(key);
    if (!Number.isInteger(at) || at < 0 || at >= value.length)
      throw new WhetstoneError('invalid-input', `${path}: there is no item ${key}.`, { where: path });
    const items: unknown[] = [...(value as unknown[])];
    items[at] = rest.length === 0 ? to : withSetting(items[at], rest, to, path);
    return items;
  }
  if (value !== undefined && !isRecord(value))
    throw new WhetstoneError('invalid-input', `${path}: '${key}' is a setting of nothing.`, { where: path });
  return { ...value, [key]: rest.length === 0 ? to : withSetting(value?.[key], rest, to, path) };
}
