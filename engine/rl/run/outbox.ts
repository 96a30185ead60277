import type { EngineEvent, EventBody, StartRun } from '../../schema/messages.ts';

/** Receives a run's events; `at` is the role and step of an event. */
export interface Events {
  emit(body: EventBody, at?: { readonly role?: string; readonly step?: number }): Promise<void>;
}

/** Maximum number of unacknowledged events. */
const BOUND = 256;

/** Numbers and sends a run's events, and blocks the run while too many are unacknowledged. */
export class Outbox implements Events {
  readonly run: StartRun;
  readonly #send: (event: EngineEvent) => void;
  #sequence = 0;
  #acknowledged = 0;
  #step = 0;
  #room: (() => void)[] = [];
  /** True if the final event was sent. */
  #ended = false;

  constructor(run: StartRun, send: (event: EngineEvent) => void) {
    this.run = run;
    this.#send = send;
  }

  /** Sends an event once there is room for it. The final event never waits; events after it are dropped. */
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

  /** Records that all events up to this sequence number are on disk. */
  acknowledge(sequence: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
    for (const resolve of this.#room.splice(0)) resolve();
  }
}
