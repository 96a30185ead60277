/** The value at a path of an object; undefined if there is none. */
export const valueAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    object,
  );

/**
 * A JSON object under edit, with only the values that were set; defaults are filled in when it is checked. It
 * mirrors the fields on the screen: text that does not parse is stored as typed, so that neither a default
 * nor the previous value runs in its place.
 */
export class Draft {
  value = $state<Record<string, unknown>>({});

  constructor(value: Record<string, unknown> = {}) {
    this.value = value;
  }

  get(path: readonly string[]): unknown {
    return valueAt(this.value, path);
  }

  /**
   * Sets the value at a path and creates objects along it; `undefined` deletes the key, and leaves an item of
   * a list blank.
   */
  set(path: readonly string[], value: unknown): void {
    let at = this.value;
    for (const key of path.slice(0, -1)) {
      if (typeof at[key] !== 'object' || at[key] === null) at[key] = {};
      at = at[key] as Record<string, unknown>;
    }
    const last = path[path.length - 1];
    if (value !== undefined) at[last] = value;
    else if (Array.isArray(at)) at[last as unknown as number] = '';
    else delete at[last];
  }

  /** A plain copy, for requests and the clipboard. */
  plain(): Record<string, unknown> {
    return $state.snapshot(this.value);
  }
}
