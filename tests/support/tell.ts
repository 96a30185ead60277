import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';

/** Stores events of an attempt, as an engine process reports them. `at`: their times, by their sequence numbers. */
export function teller(
  { events }: Pick<StoreClient, 'events'>,
  runId: string,
  attempt: number,
  at: (sequence: number) => number = (sequence) => 1000 * sequence,
) {
  let sequence = 0;
  return (step: number, ...bodies: EventBody[]) =>
    events.commit(
      bodies.map((body): EngineEvent => {
        sequence += 1;
        return { runId, attempt, role: 'policy', step, sequence, at: at(sequence), ...body };
      }),
    );
}
