/** Returns of whole episodes in a control world. */
import {
  bestChoice,
  Copies,
  drawChoice,
  Latents,
  meanNumbers,
  outputNames,
  withinBounds,
  type ControlWorld,
} from '../../control/index.ts';
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
  /**
   * True if the best action is taken, in place of a draw; where actions are numbers, the mean one always is.
   */
  readonly greedy: boolean;
  /** Keys start states and actions. */
  readonly seed: number;
}

export interface Episodes {
  /**
   * Mean over the episodes with Student's interval, which one alone does not have; standard deviation of one.
   */
  readonly return: number;
  readonly interval: Interval | null;
  readonly deviation: number;
  readonly length: number;
}

/**
 * Plays episodes to their ends, with the policy's actions; each has a latent of its own if the policy reads
 * one.
 */
export const playEpisodes = async (
  policy: LiveModel,
  { world, episodes, temperature, greedy, seed }: EpisodePlan,
): Promise<Episodes> => {
  const copies = new Copies(world, episodes, seed);
  const latents = new Latents(copies, policy.programs.graph.latent, seed);
  const random = stream(seed, 'actions of evaluation');
  const width = outputNames(world.actions).length;
  const chosen = (outputs: Float32Array): number | number[] => {
    if (world.actions.kind === 'numbers') return withinBounds(world.actions, meanNumbers(outputs));
    return greedy ? bestChoice(outputs) : drawChoice(outputs, random.next()).action;
  };
  const [returns, lengths] = [new Float64Array(episodes), new Float64Array(episodes)];
  const done = new Uint8Array(episodes);
  for (let step = 0; step < world.limit && done.includes(0); step++) {
    await pause(step / world.limit);
    const { logits } = await policy.act(latents.behind(copies.observations), episodes, temperature);
    copies.step(
      Array.from(done, (_, copy) => chosen(logits.subarray(copy * width, (copy + 1) * width))).flat(),
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
