/** Agents that learn from a log: they behave for a while, then fit a policy to what they saw. */
import type * as z from 'zod';
import type { Agent, Policy, Setting, Transition } from './agent.ts';
import { share } from './agent.ts';
import { valueIteration } from './plan.ts';
import { greedyAction } from './tables.ts';

/** One logged step; `episode` counts episodes, since trajectories matter to some. */
export interface Logged extends Omit<Transition, 'snapshot'> {
  readonly episode: number;
}

export const logParams = {
  logged: share(0.5, 'Share of the steps that go into the log, before anything is learned.'),
  random: share(1, 'Share of random actions in the logged behaviour; the others are optimal.'),
} satisfies z.ZodRawShape;
type LogParams = z.output<z.ZodObject<typeof logParams>>;

/**
 * Logs behaviour for a share of the steps and then follows what `fit` makes of the log: plain data from which
 * `policy` reads actions.
 */
export const fromLog = <Fitted>(
  setting: Setting,
  { logged, random }: LogParams,
  fit: (log: readonly Logged[]) => Fitted,
  policy: (fitted: Fitted) => Policy,
  facts?: (fitted: Fitted) => { readonly [name: string]: number },
): Agent => {
  const { actions, draw, discount, model } = setting;
  const memory = { log: [] as Logged[], episode: 0, fitted: null as Fitted | null };
  const size = Math.max(1, Math.round(logged * setting.steps));
  const optimal = random < 1 ? valueIteration(model, discount).q : [];
  const follow: Policy = (state, t) => (memory.fitted === null ? 0 : policy(memory.fitted)(state, t));
  return {
    memory,
    act: (state, t) => {
      if (memory.fitted !== null) return follow(state, t);
      return random === 1 || draw.next() < random ? draw.int(actions) : greedyAction(optimal, state, actions);
    },
    learn: ({ snapshot: _, ...step }) => {
      if (memory.fitted !== null) return;
      memory.log.push({ ...step, episode: memory.episode });
      if (step.isLast) memory.episode++;
      if (memory.log.length < size) return;
      memory.fitted = fit(memory.log);
      memory.log = [];
    },
    policy: () => (memory.fitted === null ? follow : policy(memory.fitted)),
    facts: () => (memory.fitted === null || !facts ? {} : facts(memory.fitted)),
  };
};

/** The log as trajectories. */
export const episodesOf = (log: readonly Logged[]): Logged[][] => {
  const found: Logged[][] = [];
  for (const step of log) (found[step.episode] ??= []).push(step);
  return found.filter(Boolean);
};
