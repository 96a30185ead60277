import { atLevel, retained, spearman } from '../../../engine/index.ts';
import { ruleNodes, rules } from '../../../main/plans/presets/robustness.ts';
import { mean, type SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

type All = (side: string) => SideRuns;
/** Gain on the own task, and mean change on the others, at each evaluation; the start first. */
interface Point {
  readonly value: number;
  readonly other: number;
}

const start = async (all: All): Promise<readonly number[]> =>
  await Promise.all(
    rules.map(async (rule) => (await all('base').metric(`eval/${rule}/pass_at_1`, 'base')).slice(-1)[0]),
  );

/** What a recipe's run on each task had gained and kept, evaluation by evaluation. */
async function curves({ side }: SideRuns, all: All): Promise<readonly (readonly Point[])[]> {
  const before = await start(all);
  const runs = all(side);
  return await Promise.all(
    rules.map(async (own, at) => {
      const after = await Promise.all(
        rules.map((rule) => runs.metric(`eval/${rule}/pass_at_1`, `${side}-${own}`)),
      );
      const points = after[0].map((_value, k): Point => {
        const changes = after.map((values, i) => values[k] - before[i]);
        return { value: changes[at], other: retained(changes, at) };
      });
      return [{ value: 0, other: 0 }, ...points];
    }),
  );
}

/** mRI at the end. */
const inherited = async (runs: SideRuns, all: All): Promise<number> =>
  runs.side === 'base' ? 0 : mean((await curves(runs, all)).map((points) => points[points.length - 1].other));

/** mRI where both recipes have the same gain: on each task the larger one that both reach. */
const inheritedAt =
  (method: string, baseline: string) =>
  async (runs: SideRuns, all: All): Promise<number> => {
    const [ours, theirs] = await Promise.all([curves(all(method), all), curves(all(baseline), all)]);
    const own = runs.side === method ? ours : theirs;
    const most = (points: readonly Point[]): number => Math.max(...points.map(({ value }) => value));
    return mean(
      own.map((points, at) => atLevel(points, Math.min(most(ours[at]), most(theirs[at]))) ?? Number.NaN),
    );
  };

const names: Readonly<Record<string, string>> = {
  sft: 'SFT',
  lwf: 'learning without forgetting',
  wise: 'WiSE-FT with half the weights of the start',
  grpo: 'GRPO with a divergence',
};

/** Averaged weights cost what the run does whose weights they are. */
const spent = (runs: SideRuns, all: All) => (runs.side === 'wise' ? all('sft') : runs).spent();

const loses = Object.entries(names).map(([method, name]): Claim => ({
  claim: `${name} loses on the other tasks`,
  method,
  baseline: 'base',
  measure: 'mRI after 60 updates: mean change of pass@1 on the five other tasks, over six tasks (start: 0)',
  better: 'lower',
  number: inherited,
  spent,
}));

const keeps = ['grpo', 'lwf', 'wise'].map((method): Claim => ({
  claim: `${names[method]} loses less than SFT at equal gain`,
  method,
  baseline: 'sft',
  measure: 'mRI where both first have the largest gain on the own task that both reach, interpolated',
  better: 'higher',
  number: inheritedAt(method, 'sft'),
  spent,
}));

/** Spearman’s correlation of the distances of the six tasks with what a recipe lost after learning each. */
const ranked =
  (lossesOf: (runs: SideRuns, all: All) => Promise<readonly number[]>) =>
  async (runs: SideRuns, all: All): Promise<number> => {
    const forecast = await all('base').forecast();
    if (runs.side === 'base' || forecast === null) return 0;
    const correlation = spearman(forecast.distances, await lossesOf(runs, all));
    // the same loss everywhere has no order
    return Number.isNaN(correlation) ? 0 : correlation;
  };

/** Drop of pass@1 on the start’s own mixture after learning each task. */
const forgotten = async (runs: SideRuns, all: All): Promise<number[]> => {
  const { passAt1 } = await all('base').evaluation('base');
  return await Promise.all(
    rules.map(async (rule) => passAt1 - (await runs.evaluation(`${runs.side}-${rule}`)).passAt1),
  );
};
const lost = async (runs: SideRuns, all: All): Promise<number[]> =>
  (await curves(runs, all)).map((points) => -points[points.length - 1].other);

const correlated = 'Spearman’s correlation over six tasks of sliced Wasserstein distance with';
const ranks = Object.entries(names).map(([method, name]): Claim => ({
  claim: `Distance from the start’s data ranks what ${name} loses of it`,
  method,
  baseline: 'base',
  measure: `${correlated} the drop on the start’s mixture (no relation: 0)`,
  better: 'higher',
  number: ranked(forgotten),
  spent,
  note: 'A part of it is the task’s own share of the mixture, which it keeps: the near ones are the common ones.',
}));
const ranksOthers = Object.entries(names).map(([method, name]): Claim => ({
  claim: `Distance from the start’s data ranks what ${name} loses on the other tasks`,
  method,
  baseline: 'base',
  measure: `${correlated} −RI (no relation: 0)`,
  better: 'higher',
  number: ranked(lost),
  spent,
}));

/**
 * Six rules of rewriting strings of four letters around a mixture of them in unequal shares. Every run has as
 * many rows or answers a step, and all are evaluated on all rules.
 */
export const imagenetRib: TenSystem = {
  id: 'imagenet-rib',
  cites: 'arXiv:2410.21582',
  plan: (seed) => ({
    nodes: ruleNodes({ tasks: rules, seed, learned: 900, steps: 60, every: 15, problems: 48 }),
  }),
  claims: [...loses, ...keeps, ...ranks, ...ranksOthers],
};
