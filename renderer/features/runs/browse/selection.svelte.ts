import { SvelteSet } from 'svelte/reactivity';

/** Most answers that are selected one by one; more are selected by their query. */
const MOST = 10_000;

/** Answers that are selected in a list: some by their ids, or all that match. */
export class Selection {
  readonly ids = new SvelteSet<string>();
  /** True if all matching answers are selected. */
  isAll = $state(false);

  has(id: string | undefined): boolean {
    return this.isAll || (id !== undefined && this.ids.has(id));
  }

  add(id: string | undefined): void {
    if (id !== undefined && this.ids.size < MOST) this.ids.add(id);
  }

  /** Selects an answer, or not. */
  toggle(id: string | undefined): void {
    this.isAll = false;
    if (id === undefined || this.ids.delete(id)) return;
    this.add(id);
  }

  /** Selects all matching answers, or none. */
  toggleAll(): void {
    const { isAll } = this;
    this.clear();
    this.isAll = !isAll;
  }

  clear(): void {
    this.ids.clear();
    this.isAll = false;
  }
}
