import { SvelteMap } from 'svelte/reactivity';
import type { Examination, ExamineProgress, FixProgress } from '../../../../preload/contract/doctor.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { FindingId, FixId } from '../../../../preload/wire/findings.ts';

type Client = WhetstoneClient['doctor'];
export type ExamineOptions = Omit<Parameters<Client['examine']>[0], 'id'>;
type Fixed = Extract<FixProgress, { state: 'done' }>;

export interface On {
  readonly error: (error: unknown) => void;
  /** A repair was made: its step, if a row had to change, and its version. */
  readonly fixed: (done: Fixed) => void;
  /** Findings or rows may have changed. */
  readonly changed: () => void;
}

/** The newest examination of one dataset, a running one, and repairs of what it found. */
export class ExaminationState {
  examination = $state.raw<Examination | null>(null);
  loaded = $state(false);
  examining = $state.raw<Extract<ExamineProgress, { state: 'examining' }> | null>(null);
  fixing = $state.raw<Extract<FixProgress, { state: 'changing' }> | null>(null);
  busy = $state(false);
  /** Listener of a running examination: the screen that shows it now. */
  on: On;
  private readonly client: Client;
  private readonly id: string;
  private release: (() => void) | null = null;

  constructor(client: Client, id: string, on: On) {
    [this.client, this.id, this.on] = [client, id, on];
  }

  async load(): Promise<void> {
    try {
      this.examination = await this.client.get({ id: this.id });
      this.loaded = true;
    } catch (error) {
      this.on.error(error);
    }
  }

  examine(options: ExamineOptions): void {
    this.start((end) =>
      this.client.examine(
        { id: this.id, ...options },
        (progress) => {
          if (progress.state === 'examining') this.examining = progress;
          else this.examination = progress.examination;
        },
        end,
      ),
    );
  }

  fix(finding: FindingId, fix: FixId, version: string, author: string): void {
    this.start((end) =>
      this.client.fix(
        { id: this.id, finding, fix, author, ...(version !== '' && { version }) },
        (progress) => {
          if (progress.state === 'changing') this.fixing = progress;
          else this.on.fixed(progress);
        },
        end,
      ),
    );
  }

  /** Stops the running work; an examination before it stays, and a repair is taken back. */
  cancel(): void {
    const { release } = this;
    this.end();
    release?.();
    void this.changed();
  }

  private start(open: (end: (error?: unknown) => void) => () => void): void {
    if (this.busy) return;
    this.busy = true;
    this.release = open((error) => {
      this.end();
      if (error) this.on.error(error);
      void this.changed();
    });
  }

  private end(): void {
    [this.busy, this.examining, this.fixing, this.release] = [false, null, null, null];
  }

  private async changed(): Promise<void> {
    this.on.changed();
    await this.load();
  }
}

/** Examinations that go on while other screens are shown, by dataset. */
const running = new SvelteMap<string, ExaminationState>();

/** The state of a dataset's examination: that of a running one, else a new one. */
export function examinationOf(client: Client, id: string, on: On): ExaminationState {
  const known = running.get(id);
  const state = known?.busy === true ? known : new ExaminationState(client, id, on);
  state.on = on;
  running.set(id, state);
  void state.load();
  return state;
}
