/**
 * A JSON object under edit. Only what someone chose is in it: what is absent takes its default when it is
 * checked. It holds what the fields on the screen hold: a text that cannot be read as its field's kind stands
 * in it as it was typed, so that it runs neither as a default nor as what stood there before.
 */
export class Draft {
  value = $state<Record<string, unknown>>({});

  constructor(value: Record<string, unknown> = {}) {
    this.value = value;
  }

  get(path: readonly string[]): unknown {
    let at: unknown = this.value;
    for (const key of path) {
      if (typeof at !== 'object' || at === null) return undefined;
      at = (at as Record<string, unknown>)[key];
    }
    return at;
  }

  /**
   * Sets the value at a path, making objects on the way; `undefined` takes the key away, and leaves an item
   * of a list blank.
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

  /** A plain copy, as it is sent and copied. */
  plain(): Record<string, unknown> {
    return $state.snapshot(this.value);
  }
}
