/** Rows of a control world: pieces of the episodes of copies that the policy acts in. */
import {
  bestChoice,
  Copies,
  drawChoice,
  exploreChoice,
  type ControlWorld,
  type SavedCopies,
} from '../../control/index.ts';
import type { Columns, PerToken } from '../kernel/columns.ts';
import { observedOf, ragged } from '../kernel/rows.ts';
import { stage, type StageContext } from '../kernel/stage.ts';
import { ones } from './source-columns.ts';

interface Acting {
  /** Copies of the world; a batch is shared equally among them. */
  readonly copies: number;
  /**
   * What follows where an episode was cut off at the world's limit: the value of the state that it had reached
   * (`value`), or nothing, as in a terminal state (`nothing`).
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

/** What the copies do at a step, and the values of their states if the role's network has a critic. */
interface Choices {
  readonly chosen: readonly { readonly action: number; readonly logp: number }[];
  readonly values?: ArrayLike<number>;
}

/** How actions are chosen on observations [copies × F], and whether values of states are asked for. */
interface Player {
  readonly copies: number;
  /** Value of states behind the pieces of a batch; absent: they are not asked for. */
  readonly valuesOf?: (observed_NF: Float32Array) => Promise<Float32Array>;
  readonly valuesAtLimit: boolean;
  choose(observed_NF: Float32Array): Promise<Choices>;
}

/** Kept from batch to batch: the copies and their seed, and the return of each running episode so far. */
interface Memory {
  readonly seed: number;
  readonly copies: SavedCopies;
  readonly returns: readonly number[];
  readonly lengths: readonly number[];
}

/** Steps of one copy, up to the end of an episode or of the batch. */
interface Piece {
  readonly actions: number[];
  /** One observation more than actions. */
  readonly observed: Float32Array[];
  readonly logp: number[];
  readonly values: number[];
  readonly rewards: number[];
  after: number;
  isTerminal: boolean;
  finished?: { readonly total: number; readonly length: number };
}

const begun = (observed: Float32Array): Piece => ({
  actions: [],
  observed: [observed],
  logp: [],
  values: [],
  rewards: [],
  after: 0,
  isTerminal: false,
});

const ID = 'act';

/** Plays one batch of steps. */
class Play {
  readonly pieces: Piece[][];
  readonly #seed: number;
  readonly #copies: Copies;
  readonly #returns: number[];
  readonly #lengths: number[];
  readonly #player: Player;
  readonly #context: StageContext;

  constructor(world: ControlWorld, player: Player, context: StageContext) {
    const { copies } = player;
    this.#player = player;
    this.#context = context;
    const saved = context.memory.get(ID) as Memory | undefined;
    this.#seed = saved?.seed ?? context.random('start states of copies').bits();
    this.#copies = new Copies(world, copies, this.#seed);
    if (saved) this.#copies.restore(saved.copies);
    this.#returns = [...(saved?.returns ?? new Array<number>(copies).fill(0))];
    this.#lengths = [...(saved?.lengths ?? new Array<number>(copies).fill(0))];
    this.pieces = Array.from({ length: copies }, (_, copy) => [begun(this.#seen(copy))]);
  }

  async steps(count: number): Promise<void> {
    for (let step = 0; step < count; step++) {
      const { chosen, values } = await this.#player.choose(this.#copies.observations.slice());
      this.pieces.forEach((pieces, copy) => {
        const piece = pieces[pieces.length - 1];
        piece.actions.push(chosen[copy].action);
        piece.logp.push(chosen[copy].logp);
        piece.values.push(values?.[copy] ?? 0);
      });
      this.#copies.step(chosen.map(({ action }) => action));
      await this.#follow();
    }
    const values = await this.#player.valuesOf?.(this.#copies.observations.slice());
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      if (piece.actions.length === 0) pieces.pop();
      else piece.after = values?.[copy] ?? 0;
    });
    this.#context.memory.set(ID, {
      seed: this.#seed,
      copies: this.#copies.save(),
      returns: this.#returns,
      lengths: this.#lengths,
    } satisfies Memory);
  }

  /** Adds what the last step led to; an ended episode begins a new piece. */
  async #follow(): Promise<void> {
    const { terminated, truncated, rewards, last } = this.#copies;
    const isCut = this.#player.valuesAtLimit && truncated.includes(1);
    const reached = isCut ? await this.#player.valuesOf?.(last.slice()) : undefined;
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      piece.rewards.push(rewards[copy]);
      piece.observed.push(this.#seen(copy, last));
      this.#returns[copy] += rewards[copy];
      this.#lengths[copy]++;
      if (!terminated[copy] && !truncated[copy]) return;
      if (truncated[copy] && reached) piece.after = reached[copy];
      piece.isTerminal = terminated[copy] === 1;
      piece.finished = { total: this.#returns[copy], length: this.#lengths[copy] };
      this.#returns[copy] = 0;
      this.#lengths[copy] = 0;
      pieces.push(begun(this.#seen(copy)));
    });
  }

  #seen(copy: number, from = this.#copies.observations): Float32Array {
    const width = this.#copies.world.observations.length;
    return from.slice(copy * width, (copy + 1) * width);
  }
}

/** Columns of every batch of steps. */
const stepColumns = [
  'tokens',
  'mask',
  'weight',
  'behaviorLogp',
  'credit/earned',
  'row/terminal',
  'row/finished',
  'row/return',
  'row/length',
] as const;

/** Values of each piece's tokens, behind a 0 for the first one. */
const perToken = <V extends Float32Array | Float64Array>(
  pieces: readonly Piece[],
  of: (piece: Piece) => readonly number[],
  make: new (length: number) => V,
): PerToken<V> => ragged(pieces, make, (piece) => [0, ...of(piece)]);

const stepsOf = (pieces: readonly Piece[], width: number): Pick<Columns, (typeof stepColumns)[number]> => {
  const number = (of: (piece: Piece) => number) => Float64Array.from(pieces, of);
  return {
    tokens: {
      ...ragged(pieces, Int32Array, ({ actions }) => [0, ...actions]),
      observed: observedOf(
        pieces.flatMap(({ observed }) => observed),
        width,
      ),
    },
    mask: ragged(pieces, Uint8Array, ({ actions }) => [0, ...actions.map(() => 1)]),
    weight: ones(pieces.length),
    behaviorLogp: perToken(pieces, ({ logp }) => logp, Float32Array),
    'credit/earned': perToken(pieces, ({ rewards }) => rewards, Float64Array),
    'row/terminal': number(({ isTerminal }) => (isTerminal ? 1 : 0)),
    'row/finished': number(({ finished }) => (finished ? 1 : 0)),
    'row/return': number(({ finished }) => finished?.total ?? 0),
    'row/length': number(({ finished }) => finished?.length ?? 0),
  };
};

/** Actions drawn from the role's policy. */
const drawing = (
  world: ControlWorld,
  { copies, atLimit }: Acting,
  { act, random: randomOf }: StageContext,
): Player => {
  const names = choicesOf(world);
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
  const names = choicesOf(world);
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

const choicesOf = ({ actions }: ControlWorld): number =>
  actions.kind === 'choices' ? actions.names.length : 0;

/** Plays a batch of steps; the check of the specification has copies share it equally. */
const played = async (
  world: ControlWorld,
  player: Player,
  context: StageContext,
): Promise<readonly Piece[]> => {
  const play = new Play(world, player, context);
  await play.steps(context.batch / player.copies);
  return play.pieces.flat();
};

/**
 * A stage that acts in copies of a world: a batch of steps, in rows that are pieces of episodes. The copies go on
 * from batch to batch, and are saved with checkpoints.
 */
export const actIn = (world: ControlWorld) => (how: Acting) =>
  stage({
    id: ID,
    needs: [],
    adds: [...stepColumns, 'values', 'row/after'],
    run: async (_, context) => {
      const pieces = await played(world, drawing(world, how, context), context);
      return {
        columns: {
          ...stepsOf(pieces, world.observations.length),
          values: perToken(pieces, ({ values }) => values, Float32Array),
          'row/after': Float64Array.from(pieces, ({ after }) => after),
        },
      };
    },
  });

/** The same with a network whose logits are values of actions: ε-greedy, and no value of states. */
export const exploreIn = (world: ControlWorld) => (how: Exploring) =>
  stage({
    id: ID,
    needs: [],
    adds: stepColumns,
    run: async (_, context) => {
      const pieces = await played(world, exploring(world, how, context), context);
      return { columns: stepsOf(pieces, world.observations.length) };
    },
  });
