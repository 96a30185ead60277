/** State of a probe between its rounds: its tasks, and the instructions that failed. */
import type { StageMemory } from '../../kernel/stage.ts';
import type { Problem } from '../../kernel/columns.ts';

const MEMORY = 'instructions';
/** Most failures that are kept. */
const CAPACITY = 2048;

interface Remembered {
  /** The tasks of the first round, which every round asks for. */
  readonly tasks: readonly Problem[];
  /** Instructions at which the policy failed, the newest last. */
  readonly failed: readonly string[];
}

export const rememberedOf = (memory: Pick<StageMemory, 'get'>): Remembered | undefined =>
  memory.get(MEMORY) as Remembered | undefined;

/** Keeps the newest failures. */
export const remember = (memory: Pick<StageMemory, 'set'>, { tasks, failed }: Remembered): void => {
  memory.set(MEMORY, { tasks, failed: failed.slice(-CAPACITY) } satisfies Remembered);
};
