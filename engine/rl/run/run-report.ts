/** Reports a run's rows: sampled ones, scoring faults, and the number left out. */
import { sampledOf, scoresOf, trajectories } from '../kernel/recorder.ts';
import type { Table } from '../kernel/rows.ts';
import type { InspectedPair } from '../../schema/inspected-pair.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import type { Events } from './outbox.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';
import { recordPlace, turnView } from './stage-context.ts';

/** Number of trajectories, or of pairs, per event. */
const ROWS_AN_EVENT = 256;

/** Sends the pairs of an inspection in parts; without pairs, an empty part. */
export const sendPairs = async (
  rows: Iterable<InspectedPair>,
  total: number,
  send: (part: PairPart) => void | Promise<void>,
): Promise<void> => {
  let part: InspectedPair[] = [];
  let from = 0;
  for (const row of rows) {
    part.push(row);
    if (part.length < ROWS_AN_EVENT) continue;
    await send({ from, total, rows: part });
    from += part.length;
    part = [];
  }
  if (part.length > 0 || total === 0) await send({ from, total, rows: part });
};
type PairPart = EngineCalls['inspectAgain']['progress'];

type Reported = Pick<Session, 'run' | 'task' | 'rewards' | 'clock' | 'control'>;

export class RunReport {
  readonly #session: Reported;
  readonly #events: Events;
  #leftOutReported = 0;

  constructor(session: Reported, events: Events) {
    this.#session = session;
    this.#events = events;
  }

  /** Reports the rows left out. A world's rows are counted when drawn, so the count may grow. */
  async leftOut(): Promise<void> {
    const {
      task: { leftOut },
      clock,
    } = this.#session;
    if (leftOut.rows === this.#leftOutReported) return;
    this.#leftOutReported = leftOut.rows;
    await this.#events.emit({ type: 'metrics', values: leftOut.metrics() }, { step: clock.step });
  }

  /** Reports answers that could not be scored, whether or not they end the run. */
  async faults({ name }: LiveRole, step = this.#session.clock.nextStep): Promise<void> {
    for (const fault of this.#session.rewards.faults.take())
      await this.#events.emit({ type: 'result', kind: 'reward-fault', value: fault }, { role: name, step });
  }

  /** Stores the pairs of an inspection. */
  async inspected(
    rows: Iterable<InspectedPair>,
    total: number,
    at: { readonly role: string; readonly step: number },
  ): Promise<void> {
    await sendPairs(rows, total, (part) => this.#events.emit({ type: 'inspected-pairs', ...part }, at));
  }

  /** Stores every sampled answer. */
  async sampled(role: LiveRole, table: Table): Promise<void> {
    const sampled = sampledOf(table);
    if (!sampled) return;
    const { clock, control } = this.#session;
    const step = clock.nextStep;
    const rows = trajectories(sampled, scoresOf(sampled), {
      ...recordPlace(this.#session, role),
      update: role.updates,
      step,
      temperature: role.temperature * control.temperature(turnView(this.#session, role)),
      decode: (tokens) => role.tokenizer.decode(tokens),
    });
    for (let from = 0; from < rows.length; from += ROWS_AN_EVENT) {
      await this.#events.emit(
        { type: 'trajectories', rows: rows.slice(from, from + ROWS_AN_EVENT) },
        { role: role.name, step },
      );
    }
  }
}
