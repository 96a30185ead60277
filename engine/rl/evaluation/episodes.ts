/** Returns of whole episodes in a control world. */
import {
  bestChoice,
  Copies,
  drawChoice,
  Latents,
  meanNumbers,
  outputNames,
  Watch,
  withinBounds,
  type ControlWorld,
  type Watched,
} from '../../control/index.ts';
import { deviation, mean, studentInterval, wilson } from '../../evaluate/index.ts';
import type { EpisodeEvaluation, Interval } from '../../schema/evaluation.ts';
import { pause } from '../../pace/index.ts';
import { stream } from '../../random/random.ts';
import type { LiveModel } from '../compute/live-model.ts';
import { latentEpisodes } from './latent-episodes.ts';
import { Travelled, visitsOfCells } from './travelled.ts';

export interface EpisodePlan {
  readonly world: ControlWorld;
  /** Charts that measure the episodes, in addition to their returns. */
  readonly charts: readonly Watched[];
  /** Episodes; all run side by side. */
  readonly episodes: number;
  readonly temperature: number;
  /**
   * True if the best action is taken, in place of a draw; where actions are numbers, the mean one always is.
   */
  readonly greedy: boolean;
  /** Keys start states and actions. */
  readonly seed: number;
  /** How often training was in each state of the world so far, by its number. */
  readonly visits?: readonly number[];
}

export interface Episodes extends Pick<
  EpisodeEvaluation,
  'charts' | 'trajectories' | 'coverage' | 'latents'
> {
  /**
   * Mean over the episodes with Student's interval, which one alone does not have; standard deviation of one.
   */
  readonly return: number;
  readonly interval: Interval | null;
  readonly deviation: number;
  readonly length: number;
}

/** Episodes that are kept as they were observed, at most, and all their numbers. */
const KEPT = 16;
const NUMBERS = 20_000;

/** The first episodes, until they are too many numbers; at least one. */
const keptOf = (trajectories: readonly number[][][]): number[][][] => {
  let numbers = 0;
  const sizes = trajectories.map((steps) => (numbers += steps.length * steps[0].length));
  return trajectories.filter((_, at) => at === 0 || sizes[at] <= NUMBERS);
};

/** How far episodes came by each chart. */
const measured = (charts: readonly Watched[], watch: Watch, episodes: number) =>
  charts.map(({ compiled }, c) => {
    const shares = Array.from({ length: episodes }, (_, copy) => watch.share(c, copy));
    const complete = shares.filter((share) => share === 1).length;
    return {
      name: compiled.chart.name,
      complete: complete / episodes,
      completeInterval: wilson(complete, episodes),
      progress: mean(shares),
    };
  });

/** Episodes that are kept with their latents, at most, and all numbers of these. */
const [LATENTS, LATENT_NUMBERS] = [64, 4096];

/** Where episodes went on the world's map, if it has one, and what their latents have to do with it. */
const exploredIn = (
  { world, seed, visits }: EpisodePlan,
  travelled: Travelled | undefined,
  latents: Latents,
  returns: Float64Array,
): Pick<Episodes, 'coverage' | 'latents'> => {
  const cells = world.table?.cells;
  const kept = Math.min(returns.length, LATENTS, Math.floor(LATENT_NUMBERS / Math.max(1, latents.size)));
  const episodes = Array.from({ length: latents.size > 0 ? kept : 0 }, (_, copy) => ({
    latent: [...latents.of(copy)],
    return: returns[copy],
    end: travelled?.endOf(copy) ?? null,
    cell: travelled?.cellOf(copy) ?? null,
  }));
  return {
    ...(cells &&
      travelled && {
        coverage: { ...travelled.coverage, ...(visits && { training: visitsOfCells(cells, visits) }) },
      }),
    ...(episodes.length > 0 && { latents: latentEpisodes(episodes, seed) }),
  };
};

/** The action that a network's outputs choose; `random` draws it from a policy that is not greedy. */
const chosenBy = (
  { world: { actions }, greedy }: EpisodePlan,
  outputs: Float32Array,
  random: { next(): number },
): number | number[] => {
  if (actions.kind === 'numbers') return withinBounds(actions, meanNumbers(outputs));
  return greedy ? bestChoice(outputs) : drawChoice(outputs, random.next()).action;
};

/**
 * Plays episodes to their ends, with the policy's actions; each has a latent of its own if the policy reads
 * one.
 */
export const playEpisodes = async (policy: LiveModel, plan: EpisodePlan): Promise<Episodes> => {
  const { world, charts, episodes, temperature, seed } = plan;
  const copies = new Copies(world, episodes, seed);
  const latents = new Latents(copies, policy.programs.graph.latent, seed);
  const random = stream(seed, 'actions of evaluation');
  const width = outputNames(world.actions).length;
  const travelled = world.table?.cells && new Travelled(world.table.cells, copies);
  const [returns, lengths] = [new Float64Array(episodes), new Float64Array(episodes)];
  const done = new Uint8Array(episodes);
  const watch = new Watch(charts, episodes, copies.observations);
  const seenIn = (all: Float32Array, copy: number) => [
    ...all.subarray(copy * world.observations.length, (copy + 1) * world.observations.length),
  ];
  const trajectories = Array.from({ length: charts.length > 0 ? Math.min(KEPT, episodes) : 0 }, (_, copy) => [
    seenIn(copies.observations, copy),
  ]);
  for (let step = 0; step < world.limit && done.includes(0); step++) {
    await pause(step / world.limit);
    const { logits } = await policy.act(latents.behind(copies.observations), episodes, temperature);
    copies.step(
      Array.from(done, (_, copy) =>
        chosenBy(plan, logits.subarray(copy * width, (copy + 1) * width), random),
      ).flat(),
    );
    for (let copy = 0; copy < episodes; copy++) {
      if (done[copy]) continue;
      returns[copy] += copies.rewards[copy];
      lengths[copy]++;
      watch.step(copy, copies.last);
      travelled?.step(copy, copies.lastIndices[copy]);
      trajectories[copy]?.push(seenIn(copies.last, copy));
      done[copy] = copies.terminated[copy] | copies.truncated[copy];
    }
  }
  const { mean: center, interval } = studentInterval(returns);
  return {
    return: center,
    interval,
    deviation: deviation(returns, 'population'),
    length: mean(lengths),
    ...exploredIn(plan, travelled, latents, returns),
    ...(charts.length > 0 && {
      charts: measured(charts, watch, episodes),
      trajectories: keptOf(trajectories),
    }),
  };
};
