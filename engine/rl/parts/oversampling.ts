/** Dynamic sampling: more prompts are drawn until enough groups hold a comparison. */
import type { Column, Columns, Problem } from '../kernel/columns.ts';
import type { RewardStack } from '../kernel/method.ts';
import { appendRows, applyChange, maskedCounts, tableRows, type Table } from '../kernel/rows.ts';
import { stage, type Loop, type Source, type Stage } from '../kernel/stage.ts';
import { sampleGroups } from './samplers.ts';
import { score } from './scorers.ts';

/** Groups whose rewards are not all equal. */
const varied = (groupId_R: Float64Array, rewards_R: Float64Array): Set<number> => {
  const first = new Map<number, number>();
  const found = new Set<number>();
  groupId_R.forEach((group, r) => {
    const reward = first.get(group);
    if (reward === undefined) first.set(group, rewards_R[r]);
    else if (reward !== rewards_R[r]) found.add(group);
  });
  return found;
};

/**
 * A loop whose answers are numbered after those that a prompt already has, so that a prompt drawn again does
 * not get the same answers again.
 */
const numberedAfter = (earlier: ReadonlyMap<string, number>, loop: Loop, draw: number): Loop => ({
  ...loop,
  draw,
  sample: (prompts, problem_R, sample_R) =>
    loop.sample(prompts, problem_R, shifted(earlier, problem_R, sample_R)),
});
const shifted = (
  earlier: ReadonlyMap<string, number>,
  problem_R: readonly Problem[],
  sample_R: Float64Array,
): Float64Array => sample_R.map((sample, r) => sample + (earlier.get(problem_R[r].promptId) ?? 0));

const rowsBy = async (stages: readonly Stage[], loop: Loop): Promise<Table> => {
  let table: Table = {};
  for (const { id, needs, run } of stages) {
    const have = table;
    table = applyChange(
      have,
      id,
      await run(Object.fromEntries(needs.map((need) => [need, have[need]])) as never, loop),
    );
  }
  return table;
};

const sampledColumns = [
  'promptId',
  'problem',
  'prompt',
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
  'reward/total',
] as const;

/**
 * Draws batches of prompts, writes `size` answers to each and scores them, until as many groups as a batch
 * has prompts hold different rewards, or `tries` batches are drawn (arXiv:2503.14476, section 3.2). All rows
 * come out; `keepVaried` leaves those to learn from.
 */
export const sampleUntilVaried = (
  prompts: Source<'promptId' | 'problem' | 'prompt'>,
  reward: RewardStack<'total'>,
  { size, tries }: { readonly size: number; readonly tries: number },
) =>
  stage({
    id: `sampleUntilVaried(${size}, ${tries})`,
    needs: [],
    adds: sampledColumns,
    run: async (_, loop) => {
      let table: Table = {};
      const earlier = new Map<string, number>();
      const stages = [prompts, sampleGroups({ size }), score(reward)];
      for (let attempt = 0, groups = 0; attempt < tries; attempt++) {
        const made = await rowsBy(stages, numberedAfter(earlier, loop, loop.draw * tries + attempt));
        const drawn = made as Table & Pick<Columns, (typeof sampledColumns)[number]>;
        const sample = shifted(earlier, drawn.problem, drawn.sample);
        const groupId = drawn.groupId.map((group) => group + groups);
        drawn.problem.forEach(({ promptId }, r) =>
          earlier.set(promptId, Math.max(earlier.get(promptId) ?? 0, sample[r] + 1)),
        );
        groups = Math.max(groups, ...groupId) + 1;
        table =
          tableRows(table) === 0
            ? { ...made, sample, groupId }
            : appendRows(table, { ...made, sample, groupId });
        const { groupId: all, 'reward/total': rewards } = table as Pick<Columns, 'groupId' | 'reward/total'>;
        if (varied(all, rewards).size >= loop.batch) break;
      }
      const own = new Set<Column>(sampledColumns);
      const scores = Object.entries(table).filter(
        ([name]) => name.startsWith('reward/') && !own.has(name as Column),
      );
      return {
        columns: Object.fromEntries(sampledColumns.map((name) => [name, table[name]])) as Pick<
          Columns,
          (typeof sampledColumns)[number]
        >,
        raw: Object.fromEntries(
          scores.map(([name, values]) => [name.slice('reward/'.length), values as Float64Array]),
        ),
      };
    },
  });

/**
 * Leaves the first groups whose rewards differ, as many as a batch has prompts. Where there is none, nothing
 * is learned.
 */
export const keepVaried = stage({
  id: 'keepVaried',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }, { batch }) => {
    const kept = new Set([...varied(groupId, rewards_R)].sort((a, b) => a - b).slice(0, batch));
    return { columns: {}, from_R: Uint32Array.from([...groupId.keys()].filter((r) => kept.has(groupId[r]))) };
  },
});

/**
 * Answers in the last `share` of the longest length lose up to 1, evenly: (L_max − L_cache − |y|)/L_cache
 * there, 0 before (arXiv:2503.14476, eq. 13). It comes after the choice of groups, which is by the reward
 * alone.
 */
export const overlongPenalty = ({ share }: { readonly share: number }) =>
  stage({
    id: `overlongPenalty(${share})`,
    needs: ['mask', 'reward/total'],
    adds: ['reward/total'],
    run: async ({ mask, 'reward/total': rewards_R }, { text: { maxTokens } }) => {
      const counts = maskedCounts(mask);
      const cache = share * maxTokens;
      return {
        columns: {
          'reward/total': rewards_R.map(
            (reward, r) =>
              reward + (cache > 0 ? Math.max(-1, Math.min(0, (maxTokens - cache - counts[r]) / cache)) : 0),
          ),
        },
      };
    },
  });
