import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { BulkItem, BulkState } from '../../../preload/contract/label-bulk.ts';
import type { Choice, LabelSet, Progress } from '../../../preload/contract/labels.ts';
import { byPosition, positionsOf, toggled, type Positions } from './position-sets.ts';

export interface BulkPort {
  readonly labelBulk: WhetstoneClient['labelBulk'];
  readonly labels: Pick<WhetstoneClient['labels'], 'set' | 'progress'>;
}

/** One action on many items; its events can be taken back together. */
interface Action {
  readonly name: string;
  readonly sequences: readonly number[];
}

/** Items fetched around the visible ones. */
const PAGE = 50;
/** Most items of one call. */
const MOST = 2000;

/** The list of a set for quick passes: selection, filter, one decision for all selected items. */
export class Bulk {
  set = $state.raw<LabelSet | null>(null);
  progress = $state.raw<Progress | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  text = $state('');
  state = $state<BulkState>('open');
  /** Positions of the items in the list. */
  positions = $state.raw<readonly number[]>([]);
  items = $state.raw<ReadonlyMap<number, BulkItem>>(byPosition<BulkItem>());
  selected = $state.raw<Positions>(positionsOf());
  /** Place of the cursor in the list; null in an empty list. */
  cursor = $state<number | null>(null);
  /** Items decided so far of the action that runs; null if none runs. */
  done = $state<{ readonly count: number; readonly of: number } | null>(null);
  actions = $state.raw<readonly Action[]>([]);
  notice = $state('');
  loading = $state(true);
  private anchor = 0;
  private request = 0;
  private stopped = false;
  private readonly who: { readonly setId: string; readonly labeler: string };
  private readonly port: BulkPort;

  constructor(setId: string, labeler: string, port: BulkPort) {
    this.who = { setId, labeler };
    this.port = port;
  }

  get busy(): boolean {
    return this.done !== null;
  }

  async start(): Promise<void> {
    await this.attempt(async () => {
      this.set = await this.port.labels.set({ id: this.who.setId });
      this.progress = await this.port.labels.progress(this.who);
    });
    await this.find();
  }

  /** Reads the list anew, with the filter. */
  async find(): Promise<void> {
    const request = ++this.request;
    this.loading = true;
    await this.attempt(async () => {
      const positions = await this.port.labelBulk.find({
        ...this.who,
        text: this.text.trim(),
        state: this.state,
      });
      if (request !== this.request) return;
      this.positions = positions;
      this.items = byPosition<BulkItem>();
      this.selected = positionsOf();
      this.cursor = positions.length > 0 ? 0 : null;
      this.anchor = 0;
      await this.show(0, PAGE);
    });
    if (request === this.request) this.loading = false;
  }

  /** Fetches the items at these places of the list, unless they are known. */
  async show(first: number, last: number): Promise<void> {
    const wanted = this.positions.slice(Math.max(0, first - 10), last + 10);
    const missing = wanted.filter((position) => !this.items.has(position)).slice(0, 4 * PAGE);
    if (missing.length === 0) return;
    const { request } = this;
    await this.attempt(async () => {
      const items = await this.port.labelBulk.items({ ...this.who, positions: missing });
      if (request !== this.request) return;
      this.items = byPosition(this.items.values(), items);
    });
  }

  /** Moves the cursor to a place; `extend` selects from where it was. */
  go(place: number, extend = false): void {
    if (this.positions.length === 0) return;
    const to = Math.min(this.positions.length - 1, Math.max(0, place));
    if (extend) {
      const [low, high] = [Math.min(this.anchor, to), Math.max(this.anchor, to)];
      this.selected = positionsOf(this.selected, this.positions.slice(low, high + 1));
    } else this.anchor = to;
    this.cursor = to;
  }

  move(step: number, extend = false): void {
    this.go((this.cursor ?? 0) + step, extend);
  }

  toggle(): void {
    const position = this.cursor === null ? undefined : this.positions[this.cursor];
    if (position === undefined) return;
    this.selected = toggled(this.selected, position);
  }

  selectAll(): void {
    const isAll = this.selected.size === this.positions.length;
    this.selected = isAll ? positionsOf() : positionsOf(this.positions);
  }

  /** Selects nothing; while an action runs, stops it after its current part. */
  clear(): void {
    this.stopped = true;
    this.selected = positionsOf();
  }

  private get chosen(): readonly number[] {
    if (this.selected.size > 0) return this.positions.filter((position) => this.selected.has(position));
    return this.cursor === null ? [] : [this.positions[this.cursor]];
  }

  /** Decides all selected items, or the one at the cursor, alike. */
  async decide(name: string, choice: Choice, value?: unknown): Promise<void> {
    const { chosen } = this;
    if (this.busy || this.loading || chosen.length === 0) return;
    this.stopped = false;
    const sequences: number[] = [];
    await this.attempt(async () => {
      for (let from = 0; from < chosen.length && !this.isStopped(); from += MOST) {
        this.done = { count: from, of: chosen.length };
        const positions = chosen.slice(from, from + MOST);
        const input = { ...this.who, positions, choice, ...(value !== undefined && { value }) };
        const part = await this.port.labelBulk.decide(input);
        sequences.push(...part.sequences);
        this.progress = part.progress;
      }
    });
    this.done = null;
    if (sequences.length === 0) return;
    this.actions = [...this.actions, { name, sequences }];
    this.notice = `${sequences.length} ${sequences.length === 1 ? 'item' : 'items'}: ${name}`;
    await this.after(chosen.slice(0, sequences.length));
  }

  private isStopped(): boolean {
    return this.stopped;
  }

  /** Shows decided items as such, or removes them from a list of open ones. */
  private async after(decided: readonly number[]): Promise<void> {
    const gone = positionsOf(decided);
    const place = this.cursor ?? 0;
    this.selected = positionsOf();
    this.items = byPosition([...this.items.values()].filter(({ position }) => !gone.has(position)));
    if (this.state === 'open') this.positions = this.positions.filter((position) => !gone.has(position));
    this.cursor = null;
    if (this.positions.length > 0)
      this.go(this.state === 'open' ? Math.min(place, this.positions.length - 1) : place + 1);
    await this.show(place - PAGE, place + PAGE);
  }

  /** Takes the newest action of this screen back, with all its decisions. */
  async undo(): Promise<void> {
    const last = this.actions.at(-1);
    if (!last || this.busy) return;
    this.done = { count: 0, of: last.sequences.length };
    await this.attempt(async () => {
      const { undone, progress } = await this.port.labelBulk.undo({
        ...this.who,
        sequences: [...last.sequences],
      });
      this.actions = this.actions.slice(0, -1);
      this.progress = progress;
      const kept = last.sequences.length - undone;
      this.notice = `Took back ${undone} of “${last.name}”${kept > 0 ? `; ${kept} were changed since and stay` : ''}`;
    });
    this.done = null;
    await this.find();
  }

  private async attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
