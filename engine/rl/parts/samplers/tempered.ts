/** Answers at another temperature, whose imitation raises or lowers the policy's entropy. */
import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { appendRows, gather, maskedCounts, maskedSums, type Table } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

const sampled = [
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
] as const;

export interface Tempering {
  /** Answers per prompt; the entropy to hold, in nats per token; temperatures, as factors. */
  readonly tempered: number;
  readonly target: number;
  readonly high: number;
  readonly low: number;
}

/** Mean entropy of the policy at the trained tokens; 0 without one. */
const entropyOf = async (policy: ModelPort, { tokens, mask }: Pick<Columns, 'tokens' | 'mask'>) => {
  const sumOf = (values: Float64Array) => values.reduce((sum, x) => sum + x, 0);
  return sumOf(maskedSums(await policy.entropy(tokens, mask), mask)) / Math.max(1, sumOf(maskedCounts(mask)));
};

/** The first row of each group `tempered` times, and numbers of answers that no row of the batch has. */
const moreOf = ({ groupId, sample }: Pick<Columns, 'groupId' | 'sample'>, tempered: number) => {
  const groups = groupsOf(groupId);
  const most = sample.reduce((top, number) => Math.max(top, number), -1);
  return {
    rows: Uint32Array.from(groups.flatMap(([first]) => new Array<number>(tempered).fill(first))),
    sample: Float64Array.from({ length: groups.length * tempered }, (_, at) => most + 1 + at),
  };
};

/**
 * Adds `tempered` answers per prompt behind the sampled ones, drawn at the temperature `high` while the policy's
 * entropy on the sampled answers is below `target`, else at `low` (arXiv:2510.08141). They are groups of their
 * own, with the policy's log-probabilities at its own temperature; `row/fresh` is 0, since they do not measure
 * the policy.
 */
export const addTempered = ({ tempered, target, high, low }: Tempering) =>
  stage({
    id: `addTempered(${tempered}, ${target}, ${high}, ${low})`,
    station: 'sampler',
    needs: ['problem', 'prompt', 'model/policy', ...sampled],
    adds: [...sampled, 'row/fresh', 'row/heat'],
    run: async ({ 'model/policy': policy, problem, prompt, ...own }, context) => {
      const ones = new Float64Array(own.groupId.length).fill(1);
      const temperature = (await entropyOf(policy, own)) < target ? high : low;
      const { rows, sample } = moreOf(own, tempered);
      const { tokens, mask, completion, ended } = await context.sample(
        gather(prompt, rows),
        gather(problem, rows),
        sample,
        { temperature },
      );
      const fresh: Table = { ...own, 'row/fresh': ones, 'row/heat': ones };
      const others: Table = {
        tokens,
        mask,
        completion,
        ended,
        behaviorLogp: await policy.logp(tokens, mask),
        sample,
        groupId: Float64Array.from(rows, (_first, at) => -1 - Math.floor(at / tempered)),
        weight: new Float64Array(rows.length).fill(1),
        'row/fresh': new Float64Array(rows.length),
        'row/heat': new Float64Array(rows.length).fill(temperature),
      };
      return {
        columns: appendRows(fresh, others) as never,
        from_R: Uint32Array.from([...ones.keys(), ...rows]),
      };
    },
  });
