/** Rows of a control world: pieces of the episodes of copies that the policy acts in. */
import {
  actionSize,
  bestChoice,
  drawChoice,
  drawNumbers,
  exploreChoice,
  outputNames,
  type ControlWorld,
} from '../../control/index.ts';
import { stage, type StageContext } from '../kernel/stage.ts';
import {
  ID,
  perToken,
  played,
  stepColumns,
  stepsOf,
  type Chosen,
  type PlayedIn,
  type Player,
} from './control-play.ts';

interface Acting {
  /** Copies of the world; a batch is shared equally among them. */
  readonly copies: number;
  /**
   * What follows where an episode was cut off at the world's limit: the value of the state that it had
   * reached (`value`), or nothing, as in a terminal state (`nothing`).
   */
  readonly atLimit: 'value' | 'nothing';
}

/** Actions at random with probability ε, the best one otherwise; ε falls linearly over a share of the run. */
export interface Exploring {
  readonly copies: number;
  readonly epsilonFirst: number;
  readonly epsilonLast: number;
  /** Share of the run's updates after which ε is `epsilonLast`. */
  readonly epsilonUntil: number;
}

/** Actions of numbers: at random, all alike, in the first batches, and then drawn from the policy. */
interface Moving {
  readonly copies: number;
  /** Batches of actions at random. */
  readonly warmup: number;
}

/** Steps of others at first, of which the policy learns before it acts itself. */
interface MovingLater extends Moving {
  /** Share of the actions in the first batches that the role `behavior` draws. */
  readonly logged: number;
  /** Batches after them without steps in the world. */
  readonly offline: number;
}

/** Actions drawn from the role's policy. */
const drawing = (
  world: ControlWorld,
  { copies, atLimit }: Acting,
  { act, random: randomOf }: StageContext,
): Player => {
  const names = outputNames(world.actions).length;
  const random = randomOf('actions');
  return {
    copies,
    valuesAtLimit: atLimit === 'value',
    valuesOf: async (observed) => (await act(observed, copies)).values,
    choose: async (observed) => {
      const { logits, values } = await act(observed, copies);
      const chosen = Array.from({ length: copies }, (_, copy) =>
        drawChoice(logits.subarray(copy * names, (copy + 1) * names), random.next()),
      );
      return { chosen, values };
    },
  };
};

/** ε at a share of the run. */
export const epsilonAt = (
  { epsilonFirst, epsilonLast, epsilonUntil }: Omit<Exploring, 'copies'>,
  progress: number,
): number =>
  progress >= epsilonUntil
    ? epsilonLast
    : epsilonFirst + ((epsilonLast - epsilonFirst) * progress) / epsilonUntil;

/** The action of the greatest value, or with probability ε any; the network is not asked where ε is 1. */
const exploring = (
  world: ControlWorld,
  how: Exploring,
  { act, progress, random: randomOf }: StageContext,
): Player => {
  const { copies } = how;
  const names = outputNames(world.actions).length;
  const random = randomOf('actions');
  const epsilon = epsilonAt(how, progress);
  return {
    copies,
    valuesAtLimit: false,
    choose: async (observed) => {
      const logits = epsilon === 1 ? undefined : (await act(observed, copies)).logits;
      const chosen = Array.from({ length: copies }, (_, copy) => {
        const best = logits ? bestChoice(logits.subarray(copy * names, (copy + 1) * names)) : 0;
        return exploreChoice(best, names, epsilon, random);
      });
      return { chosen };
    },
  };
};

/**
 * A stage that acts in copies of a world: a batch of steps, in rows that are pieces of episodes. The copies
 * go on from batch to batch, and are saved with checkpoints.
 */
export const actIn = (place: PlayedIn) => (how: Acting) =>
  stage({
    id: ID,
    needs: [],
    adds: [...stepColumns, 'values', 'row/after'],
    run: async (_, context) => {
      const steps = await played(place, drawing(place.world, how, context), context);
      const { pieces } = steps;
      return {
        columns: {
          ...stepsOf(steps),
          values: perToken(pieces, ({ values }) => values, Float32Array),
          'row/after': Float64Array.from(pieces, ({ after }) => after),
        },
      };
    },
  });

/** The same with a network whose logits are values of actions: ε-greedy, and no value of states. */
export const exploreIn = (place: PlayedIn) => (how: Exploring) =>
  stage({
    id: ID,
    needs: [],
    adds: stepColumns,
    run: async (_, context) => {
      const steps = await played(place, exploring(place.world, how, context), context);
      return { columns: stepsOf(steps) };
    },
  });

/** Numbers drawn from the policy, or at random, all alike, in the first batches. */
const moving = (
  world: ControlWorld,
  { copies, warmup, logged = 0 }: Moving & Partial<MovingLater>,
  { act, draw, random: randomOf }: Pick<StageContext, 'act' | 'draw' | 'random'>,
  behavior = act,
): Player => {
  const size = actionSize(world.actions);
  const random = randomOf('actions');
  const anywhere = (): Chosen => ({
    action: 0,
    numbers: Float32Array.from({ length: size }, () => 2 * random.next() - 1),
    logp: -size * Math.LN2,
  });
  return {
    copies,
    valuesAtLimit: false,
    choose: async (observed) => {
      const isFirst = draw < warmup;
      const asked = isFirst ? behavior : act;
      const outputs = isFirst && logged === 0 ? undefined : (await asked(observed, copies)).logits;
      const chosen = Array.from({ length: copies }, (_, copy): Chosen => {
        if (!outputs || (isFirst && logged < 1 && random.next() >= logged)) return anywhere();
        const noise = Array.from({ length: size }, () => random.normal());
        const own = outputs.subarray(2 * size * copy, 2 * size * (copy + 1));
        return { action: 0, ...drawNumbers(own, noise) };
      });
      return { chosen };
    },
  };
};

/** The same in a world whose actions are numbers. */
export const moveIn = (place: PlayedIn) => (how: Moving) =>
  stage({
    id: ID,
    needs: [],
    adds: stepColumns,
    run: async (_, context) => ({
      columns: stepsOf(await played(place, moving(place.world, how, context), context)),
    }),
  });

/** A batch without steps in the world. */
const unplayed = { pieces: [], coverage: { visited: 0, spread: 0 } } as const;

/**
 * The same, after logged steps: in the first batches the role `behavior` acts, mixed with random actions (the
 * stored log-probabilities are its own alone); then `offline` batches have no steps in the world, and
 * no rows.
 */
export const moveLaterIn = (place: PlayedIn) => (how: MovingLater) =>
  stage({
    id: ID,
    station: 'start',
    needs: ['model/behavior'],
    adds: stepColumns,
    run: async ({ 'model/behavior': behavior }, context) => {
      const { draw } = context;
      if (draw >= how.warmup && draw < how.warmup + how.offline) return { columns: stepsOf(unplayed) };
      const player = moving(place.world, how, context, (observed, rows) => behavior.act(observed, rows));
      return { columns: stepsOf(await played(place, player, context)) };
    },
  });

/** Fresh noise behind each observation of rows, by which a network draws numbers there. */
export const noiseIn = ({ observations, actions }: ControlWorld) => {
  const first = observations.length + actionSize(actions);
  return stage({
    id: 'noise',
    station: 'selection',
    needs: ['tokens'],
    adds: ['tokens'],
    run: async ({ tokens }, { random }) => {
      const draw = random('noise of actions');
      const { width, values } = tokens.observed ?? { width: 1, values: new Float32Array(0) };
      const noisy = values.map((value, at) => (at % width < first ? value : draw.normal()));
      return { columns: { tokens: { ...tokens, observed: { width, values: noisy } } } };
    },
  });
};
