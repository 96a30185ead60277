import { sanityResults } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Services } from '../services/services.ts';

/** Time limit in milliseconds: a toy run takes seconds. */
export const toyLimitMs = 300_000;

/** Fresh results of a method's toy run, seed by seed; `ok` if every seed reached its bound. */
export interface FreshSanity {
  readonly id: string;
  readonly world: string;
  readonly metric: string;
  readonly atLeast: number | null;
  readonly atMost: number | null;
  readonly seeds: readonly {
    readonly seed: number;
    readonly value: number;
    readonly reached: boolean;
    readonly seconds: number;
  }[];
  readonly ok: boolean;
}

/**
 * Runs the toy runs of methods, one after the other. Throws `not-found` for an unknown method and
 * `unsupported` for one that trains nothing, before anything runs.
 */
export async function freshSanity(
  { engine }: Pick<Services, 'engine'>,
  ids: readonly string[],
  seeds: readonly number[],
  {
    signal,
    onResult,
  }: {
    readonly signal: AbortSignal;
    readonly onResult: (id: string, seed: number, value: number, reached: boolean) => void;
  },
): Promise<FreshSanity[]> {
  const toyRuns = ids.map((id) => {
    if (!Object.hasOwn(sanityResults, id))
      throw new WhetstoneError('not-found', `There is no method '${id}'.`, {
        where: '--sanity',
        hint: `There are: ${Object.keys(sanityResults).join(', ')}.`,
      });
    const facts = sanityResults[id];
    if (!facts)
      throw new WhetstoneError('unsupported', `'${id}' trains nothing, so it has no toy run.`, {
        where: '--sanity',
      });
    return { id, facts };
  });
  const results: FreshSanity[] = [];
  for (const {
    id,
    facts: { world, metric, atLeast, atMost },
  } of toyRuns) {
    const runs = [];
    for (const seed of seeds) {
      const run = await engine.ask('toyRun', { id, seed }, toyLimitMs, { signal });
      onResult(id, seed, run.value, run.reached);
      runs.push(run);
    }
    results.push({
      id,
      world,
      metric,
      atLeast,
      atMost,
      seeds: runs,
      ok: runs.every(({ reached }) => reached),
    });
  }
  return results;
}
