/** Dynamic sampling: draws more prompts until enough groups have different rewards. */
import type { Column, Columns, Problem } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { type Table, appendRows, applyChange, tableRows } from '../../kernel/rows.ts';
import { type StageContext, type Source, type Stage, stage } from '../../kernel/stage.ts';
import { varied } from '../math/groups.ts';
import { score } from '../scorers/score.ts';
import { sampleGroups } from './sample-groups.ts';

/**
 * A context that numbers answers after those that a prompt already has, so that a prompt drawn again gets
 * different answers.
 */
const numberedAfter = (
  earlier: ReadonlyMap<string, number>,
  context: StageContext,
  draw: number,
): StageContext => ({
  ...context,
  draw,
  sample: (prompts, problem_R, sample_R) =>
    context.sample(prompts, problem_R, shifted(earlier, problem_R, sample_R)),
});

const shifted = (
  earlier: ReadonlyMap<string, number>,
  problem_R: readonly Problem[],
  sample_R: Float64Array,
): Float64Array => sample_R.map((sample, r) => sample + (earlier.get(problem_R[r].promptId) ?? 0));

const rowsBy = async (stages: readonly Stage[], context: StageContext): Promise<Table> => {
  let table: Table = {};
  for (const { id, needs, run } of stages) {
    const have = table;
    table = applyChange(
      have,
      id,
      await run(Object.fromEntries(needs.map((need) => [need, have[need]])) as never, context),
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
 * Draws batches of prompts, samples `size` answers to each and scores them, until as many groups as a batch
 * has prompts have different rewards, or `tries` batches are drawn (arXiv:2503.14476, section 3.2). Returns
 * all rows; `keepVaried` selects those to train on.
 */
export const sampleUntilVaried = (
  prompts: Source<'promptId' | 'problem' | 'prompt'>,
  reward: RewardStack<'total'>,
  { groupSize, tries }: { readonly groupSize: number; readonly tries: number },
) =>
  stage({
    id: `sampleUntilVaried(${groupSize}, ${tries})`,
    station: 'sampler',
    needs: [],
    adds: sampledColumns,
    run: async (_, context) => {
      let table: Table = {};
      const earlier = new Map<string, number>();
      const stages = [prompts, sampleGroups({ groupSize }), score(reward)];
      for (let attempt = 0, groups = 0; attempt < tries; attempt++) {
        const made = await rowsBy(stages, numberedAfter(earlier, context, context.draw * tries + attempt));
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
        if (varied(all, rewards).size >= context.batch) break;
      }
      const own = new Set<Column>(sampledColumns);
      const scores = Object.entries(table).filter(
        ([name]) => name.startsWith('reward/') && !own.has(name as Column),
      );
      return {
        columns: Object.fromEntries(
          [...sampledColumns, ...('keptLogp' in table ? (['keptLogp'] as const) : [])].map((name) => [
            name,
            table[name],
          ]),
        ) as Pick<Columns, (typeof sampledColumns)[number]>,
        raw: Object.fromEntries(
          scores.map(([name, values]) => [name.slice('reward/'.length), values as Float64Array]),
        ),
      };
    },
  });
