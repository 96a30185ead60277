/** Plays a batch of steps in copies of a control world, whoever chooses the actions. */
import {
  actionSize,
  Copies,
  Watch,
  Latents,
  Visits,
  withinBounds,
  type ControlWorld,
  type SavedCopies,
  type SavedWatch,
  type Watched,
} from '../../control/index.ts';
import type { Columns, PerToken } from '../kernel/columns.ts';
import { observedOf, ragged } from '../kernel/rows.ts';
import type { StageContext } from '../kernel/stage.ts';
import { ones } from './source-columns.ts';

/** A world, and the charts whose rewards are added to its own. */
export interface PlayedIn {
  readonly world: ControlWorld;
  readonly charts: readonly Watched[];
}

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

/**
 * How actions are chosen on observations [copies × F], a latent behind each, and whether values of states are
 * asked for.
 */
export interface Player {
  readonly copies: number;
  /** Value of states behind the pieces of a batch; absent: they are not asked for. */
  readonly valuesOf?: (observed_NF: Float32Array) => Promise<Float32Array>;
  readonly valuesAtLimit: boolean;
  choose(observed_NF: Float32Array): Promise<Choices>;
}

/**
 * Kept from batch to batch: the copies and their seed, by which latents are drawn too, how far charts have
 * come in them, what the world paid each running episode so far, and how often each state was visited.
 */
interface Memory {
  readonly seed: number;
  readonly copies: SavedCopies;
  /** Absent in checkpoints from before there were charts. */
  readonly watch?: SavedWatch;
  readonly returns: readonly number[];
  readonly lengths: readonly number[];
  /** Absent in checkpoints from before visits were counted. */
  readonly visits?: readonly number[];
}

export const ID = 'act';

/** How often each state was visited, by what the stages of a role keep; undefined before it has acted. */
export const visitsIn = (memory: ReadonlyMap<string, unknown>): readonly number[] | undefined => {
  const { visits } = (memory.get(ID) as Partial<Memory> | undefined) ?? {};
  return visits?.length ? visits : undefined;
};

/** Steps of one copy, up to the end of an episode or of the batch. */
export interface Piece {
  readonly copy: number;
  readonly actions: number[];
  /**
   * One more than actions: what was observed, and the numbers behind it (`rowWidth`): a latent, or those of
   * an action.
   */
  readonly observed: Float32Array[];
  readonly logp: number[];
  readonly values: number[];
  readonly rewards: number[];
  after: number;
  isTerminal: boolean;
  finished?: { readonly total: number; readonly length: number };
}

const begun = (copy: number, observed: Float32Array): Piece => ({
  copy,
  actions: [],
  observed: [observed],
  logp: [],
  values: [],
  rewards: [],
  after: 0,
  isTerminal: false,
});

/** Share of the world's states that a run has visited, and how evenly. */
type Coverage = Pick<Visits, 'visited' | 'spread'>;

/** A batch of steps, copy by copy. */
interface Played {
  readonly pieces: readonly Piece[];
  readonly coverage: Coverage;
}

/** Plays one batch of steps. */
class Play {
  readonly pieces: Piece[][];
  readonly #seed: number;
  readonly #copies: Copies;
  readonly #watch: Watch;
  readonly #latents: Latents;
  readonly #visits: Visits;
  readonly #returns: number[];
  readonly #lengths: number[];
  readonly #player: Player;
  readonly #context: StageContext;
  /** Numbers of an action; 0 where actions are choices. */
  readonly #size: number;

  constructor({ world, charts }: PlayedIn, player: Player, context: StageContext) {
    const { copies } = player;
    this.#player = player;
    this.#context = context;
    this.#size = world.actions.kind === 'numbers' ? actionSize(world.actions) : 0;
    const saved = context.memory.get(ID) as Memory | undefined;
    this.#seed = saved?.seed ?? context.random('start states of copies').bits();
    this.#copies = new Copies(world, copies, this.#seed);
    this.#watch = new Watch(charts, copies, this.#copies.observations);
    if (saved) {
      this.#copies.restore(saved.copies);
      this.#watch.restore(saved.watch ?? []);
    }
    this.#latents = new Latents(this.#copies, context.latent, this.#seed);
    this.#visits = new Visits(this.#copies, saved?.visits);
    this.#returns = [...(saved?.returns ?? new Array<number>(copies).fill(0))];
    this.#lengths = [...(saved?.lengths ?? new Array<number>(copies).fill(0))];
    this.pieces = Array.from({ length: copies }, (_, copy) => [begun(copy, this.#seen(copy))]);
  }

  /** Of the world's states that the run has visited by now. */
  get coverage(): Coverage {
    const { visited, spread } = this.#visits;
    return { visited, spread };
  }

  async steps(count: number): Promise<void> {
    for (let step = 0; step < count; step++) {
      const { chosen, values } = await this.#player.choose(this.#latents.behind(this.#copies.observations));
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
    const values = await this.#player.valuesOf?.(this.#latents.behind(this.#copies.observations));
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      if (piece.actions.length === 0) pieces.pop();
      else piece.after = values?.[copy] ?? 0;
    });
    this.#context.memory.set(ID, {
      seed: this.#seed,
      copies: this.#copies.save(),
      watch: this.#watch.save(),
      returns: this.#returns,
      lengths: this.#lengths,
      visits: this.#visits.save(),
    } satisfies Memory);
  }

  /** Adds what the last step led to; an ended episode begins a new piece. */
  async #follow(chosen: readonly Chosen[]): Promise<void> {
    const { terminated, truncated, rewards, last } = this.#copies;
    this.#visits.count(this.#copies.lastIndices);
    const isCut = this.#player.valuesAtLimit && truncated.includes(1);
    const reached = isCut ? await this.#player.valuesOf?.(this.#latents.behind(last)) : undefined;
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      piece.rewards.push(rewards[copy] + this.#watch.step(copy, last));
      piece.observed.push(this.#seen(copy, last, chosen[copy].numbers));
      this.#returns[copy] += rewards[copy];
      this.#lengths[copy]++;
      if (!terminated[copy] && !truncated[copy]) return;
      if (truncated[copy] && reached) piece.after = reached[copy];
      piece.isTerminal = terminated[copy] === 1;
      piece.finished = { total: this.#returns[copy], length: this.#lengths[copy] };
      this.#returns[copy] = 0;
      this.#lengths[copy] = 0;
      this.#watch.begin(copy, this.#copies.observations);
      this.#latents.begin(copy);
      pieces.push(begun(copy, this.#seen(copy)));
    });
  }

  /** Observations of a copy, then its latent, or the numbers of the last action, with room for noise. */
  #seen(copy: number, from = this.#copies.observations, numbers?: Float32Array): Float32Array {
    const width = this.#copies.world.observations.length;
    const seen = new Float32Array(width + this.#latents.size + 2 * this.#size);
    seen.set(from.subarray(copy * width, (copy + 1) * width));
    seen.set(this.#latents.of(copy), width);
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
  'row/copy',
  'row/visited',
  'row/spread',
] as const;

/** Values of each piece's tokens, behind a 0 for the first one. */
export const perToken = <V extends Float32Array | Float64Array>(
  pieces: readonly Piece[],
  of: (piece: Piece) => readonly number[],
  make: new (length: number) => V,
): PerToken<V> => ragged(pieces, make, (piece) => [0, ...of(piece)]);

export const stepsOf = ({ pieces, coverage }: Played): Pick<Columns, (typeof stepColumns)[number]> => {
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
    'row/copy': number(({ copy }) => copy),
    'row/visited': number(() => coverage.visited),
    'row/spread': number(() => coverage.spread),
  };
};

/** Plays a batch of steps; the check of the specification has copies share it equally. */
export const played = async (place: PlayedIn, player: Player, context: StageContext): Promise<Played> => {
  const play = new Play(place, player, context);
  await play.steps(context.batch / player.copies);
  return { pieces: play.pieces.flat(), coverage: play.coverage };
};
