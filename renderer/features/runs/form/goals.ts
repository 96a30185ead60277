import type { Catalogue } from './stock.ts';
import { taskKindOf, type Method, type TaskKind } from '../../../lib/methods.ts';

/** What a run is for: it selects the methods on offer, and the fields that are shown at first. */
export interface Goal {
  readonly id: 'base' | 'labels' | 'verifier' | 'judge' | 'control';
  readonly title: string;
  readonly summary: string;
}

/** The goals in the order of the training loop. */
export const goals: readonly Goal[] = [
  {
    id: 'base',
    title: 'Make a base',
    summary: 'Imitate worked answers of a world or of your dataset.',
  },
  {
    id: 'labels',
    title: 'Learn from labels',
    summary: 'Prefer the answers that were labeled or marked as better.',
  },
  {
    id: 'verifier',
    title: 'Train against a verifier',
    summary: 'Sample answers, score them by a verifier, references or a reward model, and reinforce.',
  },
  {
    id: 'judge',
    title: 'Train a judge',
    summary: 'A reward model or verifier that scores answers.',
  },
  {
    id: 'control',
    title: 'Act in a world',
    summary: 'A small network learns to act by the reward of a control world, and by charts.',
  },
];

const goalOfData: Readonly<Record<TaskKind['trainsOn'], Goal['id']>> = {
  examples: 'base',
  graded: 'labels',
  pairs: 'labels',
  problems: 'verifier',
  steps: 'control',
};

/** The goal that a method serves. */
export const goalOf = (
  catalogue: Pick<Catalogue, 'taskKinds'>,
  method: Method | undefined,
): Goal['id'] | undefined => {
  const kind = taskKindOf(catalogue, method);
  if (!method || !kind) return undefined;
  return method.produces === 'reward' ? 'judge' : goalOfData[kind.trainsOn];
};

/**
 * Methods of a goal. Those whose data the workspace has come first, the recommended one before all others.
 * `has`: the kinds of data that are there.
 */
export function methodsFor(
  catalogue: Pick<Catalogue, 'methods' | 'taskKinds' | 'recommended'>,
  goal: Goal['id'],
  has: readonly string[],
): readonly Method[] {
  const usual: readonly string[] = catalogue.recommended.methods;
  const rank = (method: Method): number => {
    const fits = taskKindOf(catalogue, method)?.offeredBy.some((kind) => has.includes(kind)) ?? false;
    const at = usual.indexOf(method.id);
    return (fits ? 0 : 1000) + (at < 0 ? usual.length : at);
  };
  return catalogue.methods
    .filter((method) => goalOf(catalogue, method) === goal)
    .map((method, at) => ({ method, at, rank: rank(method) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ method }) => method);
}
