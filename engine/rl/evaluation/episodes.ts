/** Returns of whole episodes in a control world. */
import { Copies, drawChoice, type ControlWorld } from '../../control/index.ts';
import { deviation, mean } from '../../evaluate/index.ts';
import { pause } from '../../pace/index.ts';
import { stream } from '../../random/random.ts';
import type { LiveModel } from '../compute/live-model.ts';

export interface EpisodePlan {
  readonly world: ControlWorld;
  /** Episodes; all run side by side. */
  readonly episodes: number;
  readonly temperature: number;
  /** Keys start states and actions. */
  readonly seed: number;
}

export interface Episodes {
  /** Mean over the episodes, and standard deviation of one. */
  readonly return: number;
  readonly deviation: number;
  readonly length: number;
}

/** Plays episodes to their ends, with actions drawn from the policy. */
export const playEpisodes = async (
  policy: LiveModel,
  { world, episodes, temperature, seed }: EpisodePlan,
): Promise<Episodes> => {
  const copies = new Copies(world, episodes, seed);
  const random = stream(seed, 'actions of evaluation');
  const names = world.actions.kind === 'choices' ? world.actions.names.length : 0;
  const [returns, lengths] = [new Float64Array(episodes), new Float64Array(episodes)];
  const done = new Uint8Array(episodes);
  for (let step = 0; step < world.limit && done.includes(0); step++) {
    await pause(step / world.limit);
    const { logits } = await policy.act(copies.observations.slice(), episodes, temperature);
    copies.step(
      Int32Array.from(
        done,
        (_, copy) => drawChoice(logits.subarray(copy * names, (copy + 1) * names), random.next()).action,
      ),
    );
    for (let copy = 0; copy < episodes; copy++) {
      if (done[copy]) continue;
      returns[copy] += copies.rewards[copy];
      lengths[copy]++;
      done[copy] = copies.terminated[copy] | copies.truncated[copy];
    }
  }
  return { return: mean(returns), deviation: deviation(returns, 'population'), length: mean(lengths) };
};
