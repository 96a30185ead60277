import type { EngineEvent, EventBody, StartRun } from '../../schema/messages.ts';

/** Where a run's events go; `at` names the role and step that an event is about. */
export interface Events {
  emit(body: EventBody, at?: { readonly role?: string; readonly step?: number }): Promise<void>;
}

/** Events that may be sent before the store has committed any of them. */
const BOUND = 256;

/** Numbers a run's events and sends them, and holds the run back while too many are not yet acknowledged. */
export class Outbox implements Events {
  readonly run: StartRun;
  readonly #send: (event: EngineEvent) => void;
  #sequence = 0;
  #acknowledged = 0;
  #step = 0;
  #room: (() => void)[] = [];
  /** A run says nothing after its last words. */
  #ended = false;

  constructor(run: StartRun, send: (event: EngineEvent) => void) {
    this.run = run;
    this.#send = send;
  }

  /**
   * Resolves at once while there is room; a run awaits it before it goes on. The last words of a run always
   * leave.
   */
  async emit(
    body: EventBody,
    { role = 'policy', step = this.#step }: { role?: string; step?: number } = {},
  ): Promise<void> {
    const last = body.type === 'finished' || body.type === 'failed';
    while (!last && this.#sequence - this.#acknowledged >= BOUND)
      await new Promise<void>((resolve) => this.#room.push(resolve));
    if (this.#ended) return;
    this.#ended = last;
    this.#step = step;
    const { runId, attempt } = this.run;
    this.#send({ runId, attempt, role, step, sequence: ++this.#sequence, at: Date.now(), ...body });
  }

  /** Everything up to this sequence number is on disk. */
  acknowledge(sequence: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
    for (const resolve of this.#room.splice(0)) resolve();
  }
}
