import type { AnswerRow, InitialModel } from '../../rewards/index.ts';
import type { RewardFault } from '../../schema/results.ts';
import { openLikelihood, openTextScorer, checkpointOpener } from '../evaluation/model-scorers.ts';
import { composedStack } from '../../rewards/composers/composed-stack.ts';
import { openStack } from '../../rewards/stack.ts';
import type { Device } from '../../runtime/index.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { methodOf } from '../methods/index.ts';
import { taskKindOf } from '../tasks/kinds/index.ts';
import { loadTaskData } from '../tasks/load-task-data.ts';
import { centered } from '../parts/credit/center-by-group.ts';
import { openInitial } from '../run/initial-model.ts';

type RescoreCall = EngineCalls['rescore'];

/**
 * Expected answers by prompt: all those of a dataset; for an endless world, those that a run with so many
 * answers may have reached.
 */
const referencesOf = (
  { problems, heldout, hasReferences }: TaskData,
  answers: number,
): Map<string, string | null> =>
  new Map(
    [
      ...(hasReferences && problems
        ? Array.from({ length: Number.isFinite(problems.size) ? problems.size : 2 * answers }, (_, at) =>
            problems.at(at),
          )
        : []),
      ...(hasReferences ? heldout.problems : []),
    ].map(({ promptId, reference }) => [promptId, reference]),
  );

/** The initial model, opened on a scorer's first use, with counts of its uses. */
const initialOnDemand = (
  open: () => Promise<InitialModel>,
): { readonly initial: InitialModel; readonly recomputed: { answers: number; features: number } } => {
  let opened: Promise<InitialModel> | undefined;
  const model = (): Promise<InitialModel> => (opened ??= open());
  const recomputed = { answers: 0, features: 0 };
  return {
    recomputed,
    initial: {
      features: async (rows) => {
        recomputed.features += rows.length;
        return (await model()).features(rows);
      },
      answers: async (rows, count) => {
        recomputed.answers += rows.length * count;
        return (await model()).answers(rows, count);
      },
    },
  };
};

/**
 * Applies the rewards of a checked spec to stored answers: batch by batch in their original order, so that
 * scorers and a composer that learn from batches see the same history as in a run. Advantages are within groups, divided by
 * the sample deviation. Queries to the initial model are repeated: its answers use the run's seed,
 * temperature and length, and equal those that the run would have drawn.
 */
export const rescore = async (
  device: Device,
  { spec, resources, batches, progress }: RescoreCall['input'],
  signal?: AbortSignal,
  report?: (progress: RescoreCall['progress']) => void,
): Promise<RescoreCall['output']> => {
  const data = await loadTaskData(spec, resources, taskKindOf(methodOf(spec)));
  const references = referencesOf(
    data,
    batches.reduce((sum, batch) => sum + batch.length, 0),
  );
  const faults: RewardFault[] = [];
  const { initial, recomputed } = initialOnDemand(() => openInitial({ spec, resources }, data, device));
  const scorers = await openStack(spec.rewards, {
    initial,
    ...(data.world && { world: data.world }),
    ...(data.hasReferences && { reference: true as const }),
    report: (found) => void faults.push(...found),
    checkpoint: checkpointOpener(device, resources, openTextScorer),
    policy: checkpointOpener(device, resources, openLikelihood),
  });
  const stack = composedStack(scorers, spec);
  const total: number[] = [];
  const scores: { [scorer: string]: number[] } = {};
  const advantage: number[] = [];
  for (const [at, batch] of batches.entries()) {
    signal?.throwIfAborted();
    const rows = batch.map((row): AnswerRow => ({ ...row, reference: references.get(row.promptId) ?? null }));
    const scored = await stack.score(rows, progress[at]);
    total.push(...scored.total);
    advantage.push(
      ...centered(
        scored.credit ?? scored.total,
        Float64Array.from(batch, ({ group }) => group),
        new Float64Array(batch.length).fill(1),
        'sample',
      ),
    );
    for (const [scorer, values] of Object.entries(scored.raw)) (scores[scorer] ??= []).push(...values);
    report?.({ done: at + 1, total: batches.length });
  }
  return { total, scores, advantage, faults, recomputed };
};
