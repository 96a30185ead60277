/** Tabular agents in control worlds, against the optimum, with intervals over seeds. */
import { tabularAgents, tabularSummary, tabularWorlds, type Averaged } from '../../engine/tabular/index.ts';
import { rounded, say } from './figures.ts';

export interface TabularFigures {
  readonly agent: string;
  readonly world: string;
  readonly steps: number;
  readonly seeds: number;
  /** Discounted return of the policy ÷ V*. */
  readonly ofOptimum: Averaged;
  readonly covered: Averaged;
  /** Steps until the first reward, over the seeds that had one. */
  readonly firstSuccess: Averaged | null;
  readonly succeeded: number;
  /** Σ over training episodes of V* − return; null where not all began at the start. */
  readonly regret: Averaged | null;
  readonly seconds: number;
}

const short = ({ mean, interval: [low, high] }: Averaged, by = 1): Averaged => ({
  mean: rounded(mean / by, 3),
  interval: [rounded(low / by, 3), rounded(high / by, 3)],
});

export const measureTabular = (options: {
  readonly steps: number;
  readonly seeds: number;
  readonly only?: readonly string[];
}): TabularFigures[] => {
  const { steps, seeds, only } = options;
  const figures: TabularFigures[] = [];
  const worlds = tabularWorlds();
  for (const { id: agent } of tabularAgents.filter(({ id }) => !only || only.includes(id)))
    for (const { id: world } of worlds) {
      const started = performance.now();
      const summary = tabularSummary({ agent, world, steps, seed: 0 }, seeds);
      const { optimum, discounted, covered, firstSuccess, regret, succeeded } = summary;
      const figure = {
        ...{ agent, world, steps, seeds, succeeded },
        ofOptimum: short(discounted, optimum),
        covered: short(covered),
        firstSuccess: firstSuccess && short(firstSuccess),
        regret: regret && short(regret),
        seconds: rounded((performance.now() - started) / 1000, 3),
      };
      figures.push(figure);
      say(`${agent} in ${world}: ${figure.ofOptimum.mean} of the optimum, ${figure.seconds} s`);
    }
  return figures;
};
