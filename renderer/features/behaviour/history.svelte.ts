/** A value with the values before and after it. Edits of one group that follow one another are one step. */
export class History<T> {
  now: T = $state.raw() as T;
  private past = $state.raw<readonly T[]>([]);
  private future = $state.raw<readonly T[]>([]);
  private group: string | null = null;

  constructor(start: T) {
    this.now = start;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }
  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Begins anew with a value, without a past. */
  reset(value: T): void {
    [this.now, this.past, this.future, this.group] = [value, [], [], null];
  }

  /** The next value; a value that is equal to the present one is no step. */
  set(value: T, group: string | null = null): void {
    if (value === this.now) return;
    if (group === null || group !== this.group) this.past = [...this.past, this.now];
    [this.now, this.future, this.group] = [value, [], group];
  }

  /** Ends the group: the next edit is a step of its own. */
  end(): void {
    this.group = null;
  }

  undo(): void {
    const before = this.past.at(-1);
    if (before === undefined) return;
    this.future = [this.now, ...this.future];
    [this.now, this.past, this.group] = [before, this.past.slice(0, -1), null];
  }

  redo(): void {
    const [after, ...rest] = this.future;
    if (after === undefined) return;
    this.past = [...this.past, this.now];
    [this.now, this.future, this.group] = [after, rest, null];
  }
}
