import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { trajectory } from './trajectory.ts';
import { parsedSpec } from './workspace.ts';

/** Evaluations of a run: `steps` by attempt. */
export interface Travelled {
  readonly name: string;
  readonly attempts: readonly (readonly number[])[];
  readonly prompts: readonly string[];
}

const words = ['one', 'two', 'three', 'four', 'five', 'six'];

/** Two answers to each prompt at each evaluation, which grow with the steps; returns the ids of the runs. */
export async function plantTravel(store: StoreClient, runs: readonly Travelled[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, attempts, prompts } of runs) {
    const { id } = await store.runs.create(parsedSpec({ name }), []);
    ids.push(id);
    for (const [index, steps] of attempts.entries()) {
      const attempt = await store.runs.beginAttempt(id, null);
      for (const [at, step] of steps.entries()) {
        const rows = prompts.flatMap((prompt) =>
          [0, 1].map((sample) => ({
            ...trajectory({ id: `${id} ${attempt} ${step} ${prompt} ${sample}` }),
            promptId: `id of ${prompt}`,
            prompt,
            completion: `${name} says ${words.slice(0, 1 + step / 10).join(' ')}${attempt > 1 ? ' again' : ''}`,
            sample,
            step,
            purpose: 'evaluation' as const,
            scores: { verifier: Number(step >= 20 || sample > 0) },
          })),
        );
        const event = { runId: id, attempt, role: 'policy', step, sequence: at + 1, at: step } as const;
        await store.events.commit([{ ...event, type: 'trajectories', rows } as EngineEvent]);
      }
      await store.runs.setState(id, index + 1 < attempts.length ? 'interrupted' : 'done');
      if (index + 1 < attempts.length) await store.runs.enqueue(id, false);
    }
  }
  return ids;
}

export const travelled: readonly Travelled[] = [
  { name: 'steady', attempts: [[10, 20, 30, 40]], prompts: ['count to ten', 'name a river', '50 %_ off'] },
  {
    name: 'resumed',
    attempts: [
      [10, 20],
      [20, 40],
    ],
    prompts: ['count to ten', 'name a river'],
  },
];
