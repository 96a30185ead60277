import type { Method, TaskKind } from '../../../lib/methods.ts';
import { tooFewPairs } from './held-out.ts';
import { pairsOf } from './model-defaults.ts';
import type { Stock } from './stock.ts';

interface Chosen {
  readonly method: Method | undefined;
  readonly taskKind: TaskKind | undefined;
  readonly task: { readonly kind?: unknown } | undefined;
  readonly policy: unknown;
}

/** Warnings about a run that could start as it is. */
export interface Advice {
  /** True if random weights would learn from their own answers or from pairs, which are noise to them. */
  readonly trainsUntrainedPolicy: boolean;
  /** True if a reward model would start from random weights. */
  readonly trainsUntrainedJudge: boolean;
  /** True if preferences are to be learned, and those of a world are chosen. */
  readonly learnsPreferencesOfWorld: boolean;
  /** Why the held-out pairs of a judge are too few to tell it from a length rule; null if they are enough. */
  readonly tooFewHeldOut: string | null;
}

export function adviceFor({ method, taskKind, task, policy }: Chosen, stock: Stock): Advice {
  const isNew = (policy as { readonly kind?: unknown } | undefined)?.kind === 'new';
  const isJudge = method?.produces === 'reward';
  const learnsPairs = taskKind?.trainsOn === 'pairs';
  return {
    trainsUntrainedPolicy: isNew && method?.produces === 'policy' && taskKind?.trainsOn !== 'examples',
    trainsUntrainedJudge: isNew && isJudge,
    learnsPreferencesOfWorld: learnsPairs && task?.kind === 'world',
    tooFewHeldOut: isJudge && learnsPairs ? tooFewPairs(pairsOf(stock, task)) : null,
  };
}
