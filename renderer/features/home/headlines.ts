import type { Interval, PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Result, Run } from '../../../preload/contract/runs.ts';

/** The number that a run came to: pass@1 of its policy, or the accuracy of its judge on held-out pairs. */
export interface Headline {
  readonly run: Run;
  readonly measure: 'pass@1' | 'held-out accuracy' | null;
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly kl: number | null;
}

/** Number of ended runs whose results are read. */
const MOST_RUNS = 64;
/** Number of those that have no evaluation whose other results are read. */
const MOST_OTHERS = 12;

type Accuracy = { readonly accuracy: number; readonly accuracyInterval: Interval };

const ofPolicy = (run: Run, { passAt1, passAt1Interval, kl }: PolicyEvaluation): Headline => ({
  run,
  measure: 'pass@1',
  value: passAt1,
  interval: passAt1Interval,
  kl,
});

/** The headline of a run without a policy's evaluation, from its other results. */
export function ofResults(run: Run, results: readonly Result[]): Headline {
  const pairs = results.findLast(
    ({ kind }) => kind === 'reward-inspection' || kind === 'preference-evaluation',
  )?.value as Accuracy | undefined;
  return {
    run,
    measure: pairs ? 'held-out accuracy' : null,
    value: pairs?.accuracy ?? null,
    interval: pairs?.accuracyInterval ?? null,
    kl: null,
  };
}

/** Headlines of these runs, in their order. */
export async function readHeadlines(
  { runs, compare }: Pick<WhetstoneClient, 'runs' | 'compare'>,
  ended: readonly Run[],
): Promise<Headline[]> {
  const read = ended.slice(0, MOST_RUNS);
  if (read.length === 0) return [];
  const { rows } = await compare.overview({ runIds: read.map(({ id }) => id) });
  const evaluations = new Map(rows.map(({ runId, evaluation }) => [runId, evaluation]));
  const others = read.filter(({ id }) => !evaluations.get(id)).slice(0, MOST_OTHERS);
  const results = new Map(
    await Promise.all(others.map(async ({ id }) => [id, await runs.results({ id })] as const)),
  );
  return read.map((run) => {
    const evaluation = evaluations.get(run.id);
    return evaluation ? ofPolicy(run, evaluation) : ofResults(run, results.get(run.id) ?? []);
  });
}
