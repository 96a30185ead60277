import { Undefined, type Value } from './values.ts';

/** Names and their values; lookups fall through to the outer scope. */
export class Scope {
  readonly #outer: Scope | null;
  readonly #values = new Map<string, Value>();
  constructor(outer: Scope | null) {
    this.#outer = outer;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  get(name: string): Value {
    if (this.#values.has(name)) return this.#values.get(name) ?? null;
    return this.#outer === null ? new Undefined(`“${name}”`) : this.#outer.get(name);
  }
}
