import { splitSide, type SplitSide } from './data/doctor/index.ts';
import { openWorldById } from './worlds/index.ts';

/**
 * The first held-out problems of a world, on which evaluations measure policies, as a side of `leakage`: data
 * with the same prompts must not be trained on. Ids are `heldout N`, from 0. Throws as `openWorldById`.
 */
export const evaluationProblems = (worldId: string, count: number, params: unknown = {}): SplitSide => {
  const world = openWorldById(worldId, params);
  return splitSide(
    worldId,
    Array.from({ length: count }, (_, index) => ({
      id: `heldout ${index}`,
      text: world.problem('heldout', index, 0).prompt,
    })),
  );
};
