/** Plays a batch of steps in copies of a control world, whoever chooses the actions. */
import {
  actionSize,
  Copies,
  withinBounds,
  type ControlWorld,
  type SavedCopies,
} from '../../control/index.ts';
import type { Columns, PerToken } from '../kernel/columns.ts';
import { observedOf, ragged } from '../kernel/rows.ts';
import type { StageContext } from '../kernel/stage.ts';
import { ones } from './source-columns.ts';

/** An action by its number, or by numbers from −1 to 1, and its log-probability (density). */
export interface Chosen {
  readonly action: number;
  readonly numbers?: Float32Array;
  readonly logp: number;
}

/** The actions of the copies at a step, and the values of their states if the role's network has a critic. */
interface Choices {
  readonly chosen: readonly Chosen[];
  readonly values?: ArrayLike<number>;
}

/** How actions are chosen on observations [copies × F], and whether values of states are asked for. */
export interface Player {
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
export interface Piece {
  readonly actions: number[];
  /**
   * One more than actions: what was observed, and the numbers behind it (`rowWidth`) where actions are
   * numbers.
   */
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

export const ID = 'act';

/** Plays one batch of steps. */
class Play {
  readonly pieces: Piece[][];
  readonly #seed: number;
  readonly #copies: Copies;
  readonly #returns: number[];
  readonly #lengths: number[];
  readonly #player: Player;
  readonly #context: StageContext;
  /** Numbers of an action; 0 where actions are choices. */
  readonly #size: number;

  constructor(world: ControlWorld, player: Player, context: StageContext) {
    const { copies } = player;
    this.#player = player;
    this.#context = context;
    this.#size = world.actions.kind === 'numbers' ? actionSize(world.actions) : 0;
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
      const { actions } = this.#copies.world;
      this.#copies.step(
        chosen.flatMap(({ action, numbers }) => (numbers ? withinBounds(actions, numbers) : action)),
      );
      await this.#follow(chosen);
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
  async #follow(chosen: readonly Chosen[]): Promise<void> {
    const { terminated, truncated, rewards, last } = this.#copies;
    const isCut = this.#player.valuesAtLimit && truncated.includes(1);
    const reached = isCut ? await this.#player.valuesOf?.(last.slice()) : undefined;
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      piece.rewards.push(rewards[copy]);
      piece.observed.push(this.#seen(copy, last, chosen[copy].numbers));
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

  /** What a copy observes, and behind it the numbers that led there, with room for noise. */
  #seen(copy: number, from = this.#copies.observations, numbers?: Float32Array): Float32Array {
    const width = this.#copies.world.observations.length;
    const seen = new Float32Array(width + 2 * this.#size);
    seen.set(from.subarray(copy * width, (copy + 1) * width));
    if (numbers) seen.set(numbers, width);
    return seen;
  }
}

/** Columns of every batch of steps. */
export const stepColumns = [
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
export const perToken = <V extends Float32Array | Float64Array>(
  pieces: readonly Piece[],
  of: (piece: Piece) => readonly number[],
  make: new (length: number) => V,
): PerToken<V> => ragged(pieces, make, (piece) => [0, ...of(piece)]);

export const stepsOf = (pieces: readonly Piece[]): Pick<Columns, (typeof stepColumns)[number]> => {
  const number = (of: (piece: Piece) => number) => Float64Array.from(pieces, of);
  const width = pieces[0]?.observed[0].length ?? 0;
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

/** Plays a batch of steps; the check of the specification has copies share it equally. */
export const played = async (
  world: ControlWorld,
  player: Player,
  context: StageContext,
): Promise<readonly Piece[]> => {
  const play = new Play(world, player, context);
  await play.steps(context.batch / player.copies);
  return play.pieces.flat();
};
