import type { Draft } from './draft.svelte.ts';

type Path = readonly string[];

/** Whether two values of a specification are equal. */
export const isSame = (value: unknown, other: unknown): boolean =>
  JSON.stringify(value) === JSON.stringify(other);

/**
 * Values that the form puts into its draft by itself. An offer follows the choices that it was made for, gives
 * way to what someone chose, and stays away where someone cleared it.
 */
export class Offers {
  private readonly draft: Draft;
  private readonly made = new Map<string, unknown>();

  constructor(draft: Draft) {
    this.draft = draft;
  }

  /** The last offer for a path. */
  of(path: Path): unknown {
    return this.made.get(path.join('.'));
  }

  /** Whether a path holds what was offered last; where nothing was, whether it is empty. */
  holds(path: Path): boolean {
    return isSame(this.draft.get(path), this.of(path));
  }

  /** Says that a value which the draft began with was offered, not chosen. */
  claim(path: Path, value: unknown): void {
    this.made.set(path.join('.'), value);
  }

  /** Puts a value at a path, whatever stands there. */
  set(path: Path, value: unknown): void {
    this.draft.set(path, structuredClone(value));
    this.made.set(path.join('.'), value);
  }

  /** Offers a value: it is put where the last offer still stands. The same offer is not made twice. */
  put(path: Path, value: unknown): void {
    if (isSame(value, this.of(path))) return;
    if (this.holds(path)) this.set(path, value);
    else this.made.set(path.join('.'), value);
  }

  /** A part of the draft was replaced whole, and with it what was offered there. */
  forget(part: Path): void {
    for (const path of this.made.keys())
      if (`${path}.`.startsWith(`${part.join('.')}.`)) this.made.delete(path);
  }
}
