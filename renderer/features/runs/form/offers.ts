import type { Draft } from './draft.svelte.ts';

type Path = readonly string[];

/** True if two values of a specification are equal. */
export const isSame = (value: unknown, other: unknown): boolean =>
  JSON.stringify(value) === JSON.stringify(other);

/**
 * Values that the form sets in its draft by itself. An offer follows the choices it was derived from, and
 * never replaces a value that the user set or cleared.
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

  /** True if a path still has its last offer, or is empty without one. */
  holds(path: Path): boolean {
    return isSame(this.draft.get(path), this.of(path));
  }

  /** Sets the offers that were made in another draft. */
  apply(draft: Draft): void {
    for (const [path, value] of this.made)
      if (value !== undefined) draft.set(path.split('.'), structuredClone(value));
  }

  /** Marks an initial value of the draft as offered, not chosen. */
  claim(path: Path, value: unknown): void {
    this.made.set(path.join('.'), value);
  }

  /** Offers a value, replacing any other. */
  set(path: Path, value: unknown): void {
    this.draft.set(path, structuredClone(value));
    this.made.set(path.join('.'), value);
  }

  /** Offers a value if the path still has the last offer. The same offer is not made twice. */
  put(path: Path, value: unknown): void {
    if (isSame(value, this.of(path))) return;
    if (this.holds(path)) this.set(path, value);
    else this.made.set(path.join('.'), value);
  }

  /** Drops the offers within a part that was replaced as a whole. */
  forget(part: Path): void {
    for (const path of this.made.keys())
      if (`${path}.`.startsWith(`${part.join('.')}.`)) this.made.delete(path);
  }
}
