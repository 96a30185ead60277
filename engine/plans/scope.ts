/** Names of nodes: each body sees its own nodes, and those of the bodies around it. */

export class Scope {
  readonly prefix: string;
  readonly #parent: Scope | null;
  readonly #names = new Map<string, string>();

  constructor(parent: Scope | null = null, prefix = '') {
    this.#parent = parent;
    this.prefix = prefix;
  }

  /** Makes a node known here; false if the name is taken. */
  add(name: string, fullId: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.set(name, fullId);
    return true;
  }

  /** The full id of the node that a name means here; undefined for an unknown one. */
  find(name: string): string | undefined {
    return this.#names.get(name) ?? this.#parent?.find(name);
  }

  /** Makes the nodes of a body known here, each behind a prefix, such as `rounds.2.`. */
  adopt(body: Scope, prefix: string): void {
    for (const [name, fullId] of body.#names) this.add(prefix + name, fullId);
  }
}
