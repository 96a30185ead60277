import { WhetstoneError } from '../common/errors.ts';
import type { RunSpec } from '../schema/run-spec.ts';
import { openWorldById } from './index.ts';
import type { Problem, Split, World } from './world.ts';

/** Problems looked at between two yields, and most answered ones that are looked for. */
const SOME = 500;
const MOST = 50_000;
/** Problems that a controller chooses each one from, so that more may have been drawn than were answered. */
const CANDIDATES = 8;
/** Held-out problems that are looked at in any case. */
const HELDOUT = 2000;

/** Problems of a world to look at. */
interface Place {
  readonly of: { readonly id: string; readonly params: unknown };
  readonly split: Split;
  readonly from: number;
  readonly to: number;
}

/**
 * Right worked answers, by the id of their prompt, to problems that a run drew from its worlds: from that of
 * its task, and from that of its evaluation. Each yield gives those found since the last one, perhaps none,
 * so that a caller can let others work in between. Ends when every prompt was found, or no problem is left
 * that the run may have drawn; a prompt that its world cannot solve is left out.
 */
export function* solutionsOf(
  { task, evaluation, seed, budget }: Pick<RunSpec, 'task' | 'evaluation' | 'seed' | 'budget'>,
  prompts: ReadonlySet<string>,
): Generator<ReadonlyMap<string, string>> {
  const wanted = new Set(prompts);
  const answered = Math.min(MOST, budget.steps * budget.batch);
  const heldout = Math.max(answered, evaluation.problems, HELDOUT);
  const places: readonly Place[] = [
    ...(task.kind === 'world'
      ? ([
          { of: task, split: 'train', from: 0, to: answered },
          { of: task, split: 'heldout', from: 0, to: heldout },
          { of: task, split: 'train', from: answered, to: answered * CANDIDATES },
        ] as const)
      : []),
    ...(evaluation.world ? [{ of: evaluation.world, split: 'heldout', from: 0, to: heldout } as const] : []),
  ];
  for (const { of, split, from, to } of places) {
    const world = openWorldById(of.id, of.params);
    let found = new Map<string, string>();
    for (let at = from; at < to && wanted.size > 0; at++) {
      const problem = drawn(world, split, at, seed);
      if (!problem) break;
      const answer = wanted.delete(problem.promptId) ? world.solution(problem) : null;
      if (answer !== null) found.set(problem.promptId, answer);
      if ((at + 1) % SOME === 0) {
        yield found;
        found = new Map();
      }
    }
    yield found;
  }
}

/** A problem of a split; null of a world that holds none out. */
function drawn(world: World, split: Split, at: number, seed: number): Problem | null {
  try {
    return world.problem(split, at, seed);
  } catch (error) {
    if (WhetstoneError.from(error).kind === 'invalid-input') return null;
    throw error;
  }
}
