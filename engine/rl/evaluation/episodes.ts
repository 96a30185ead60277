/** Returns of whole episodes in a control world. */
import { bestChoice, Copies, drawChoice, type ControlWorld } from '../../control/index.ts';
import { deviation, mean, studentInterval } from '../../evaluate/index.ts';
import type { Interval } from '../../schema/evaluation.ts';
import { pause } from '../../pace/index.ts';
import { stream } from '../../random/random.ts';
import type { LiveModel } from '../compute/live-model.ts';

export interface EpisodePlan {
  readonly world: ControlWorld;
  /** Episodes; all run side by side. */
  readonly episodes: number;
  readonly temperature: number;
  /** True if the best action is taken, in place of a draw. */
  readonly greedy: boolean;
  /** Keys start states and actions. */
  readonly seed: number;
}

export interface Episodes {
  /** Mean over the episodes with Student's interval, which one alone does not have; standard deviation of one. */
  readonly return: number;
  readonly interval: Interval | null;
  readonly deviation: number;
  readonly length: number;
}

/** Plays episodes to their ends, with the policy's actions. */
export const playEpisodes = async (
  policy: LiveModel,
  { world, episodes, temperature, greedy, seed }: EpisodePlan,
): Promise<Episodes> => {
  const copies = new Copies(world, episodes, seed);
  const random = stream(seed, 'actions of evaluation');
  const names = world.actions.kind === 'choices' ? world.actions.names.length : 0;
  const chosen = (logits: Float32Array): number =>
    greedy ? bestChoice(logits) : drawChoice(logits, random.next()).action;
  const [returns, lengths] = [new Float64Array(episodes), new Float64Array(episodes)];
  const done = new Uint8Array(episodes);
  for (let step = 0; step < world.limit && done.includes(0); step++) {
    await pause(step / world.limit);
    const { logits } = await policy.act(copies.observations.slice(), episodes, temperature);
    copies.step(
      Int32Array.from(done, (_, copy) => chosen(logits.subarray(copy * names, (copy + 1) * names))),
    );
    for (let copy = 0; copy < episodes; copy++) {
      if (done[copy]) continue;
      returns[copy] += copies.rewards[copy];
      lengths[copy]++;
      done[copy] = copies.terminated[copy] | copies.truncated[copy];
    }
  }
  const { mean: center, interval } = studentInterval(returns);
  return {
    return: center,
    interval,
    deviation: deviation(returns, 'population'),
    length: mean(lengths),
  };
};
