/** Rows of a control world: pieces of the episodes of copies that the policy acts in. */
import { Copies, drawChoice, type ControlWorld, type SavedCopies } from '../../control/index.ts';
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
  finished?: { readonly total: number; readonly length: number };
}

const begun = (observed: Float32Array): Piece => ({
  actions: [],
  observed: [observed],
  logp: [],
  values: [],
  rewards: [],
  after: 0,
});

const ID = 'act';

/** Plays one batch of steps. */
class Play {
  readonly pieces: Piece[][];
  readonly #seed: number;
  readonly #copies: Copies;
  readonly #returns: number[];
  readonly #lengths: number[];
  readonly #how: Acting;
  readonly #context: StageContext;

  constructor(world: ControlWorld, how: Acting, context: StageContext) {
    this.#how = how;
    this.#context = context;
    const saved = context.memory.get(ID) as Memory | undefined;
    this.#seed = saved?.seed ?? context.random('start states of copies').bits();
    this.#copies = new Copies(world, how.copies, this.#seed);
    if (saved) this.#copies.restore(saved.copies);
    this.#returns = [...(saved?.returns ?? new Array<number>(how.copies).fill(0))];
    this.#lengths = [...(saved?.lengths ?? new Array<number>(how.copies).fill(0))];
    this.pieces = Array.from({ length: how.copies }, (_, copy) => [begun(this.#seen(copy))]);
  }

  async steps(count: number): Promise<void> {
    const { count: copies, world } = this.#copies;
    const names = world.actions.kind === 'choices' ? world.actions.names.length : 0;
    const random = this.#context.random('actions');
    for (let step = 0; step < count; step++) {
      const { logits, values } = await this.#context.act(this.#copies.observations.slice(), copies);
      const actions = this.pieces.map((pieces, copy) => {
        const { action, logp } = drawChoice(logits.subarray(copy * names, (copy + 1) * names), random.next());
        const piece = pieces[pieces.length - 1];
        piece.actions.push(action);
        piece.logp.push(logp);
        piece.values.push(values[copy]);
        return action;
      });
      this.#copies.step(actions);
      await this.#follow();
    }
    const { values } = await this.#context.act(this.#copies.observations.slice(), copies);
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      if (piece.actions.length === 0) pieces.pop();
      else piece.after = values[copy];
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
    const { terminated, truncated, rewards, last, count } = this.#copies;
    const isCut = this.#how.atLimit === 'value' && truncated.includes(1);
    const reached = isCut ? (await this.#context.act(last.slice(), count)).values : undefined;
    this.pieces.forEach((pieces, copy) => {
      const piece = pieces[pieces.length - 1];
      piece.rewards.push(rewards[copy]);
      piece.observed.push(this.#seen(copy, last));
      this.#returns[copy] += rewards[copy];
      this.#lengths[copy]++;
      if (!terminated[copy] && !truncated[copy]) return;
      if (truncated[copy] && reached) piece.after = reached[copy];
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

type Made =
  | 'tokens'
  | 'mask'
  | 'weight'
  | 'behaviorLogp'
  | 'values'
  | 'credit/earned'
  | 'row/after'
  | 'row/finished'
  | 'row/return'
  | 'row/length';

const columnsOf = (pieces: readonly Piece[], width: number): Pick<Columns, Made> => {
  const per = <V extends Float32Array | Float64Array>(
    of: (piece: Piece) => readonly number[],
    make: new (length: number) => V,
  ): PerToken<V> => ragged(pieces, make, (piece) => [0, ...of(piece)]);
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
    behaviorLogp: per(({ logp }) => logp, Float32Array),
    values: per(({ values }) => values, Float32Array),
    'credit/earned': per(({ rewards }) => rewards, Float64Array),
    'row/after': number(({ after }) => after),
    'row/finished': number(({ finished }) => (finished ? 1 : 0)),
    'row/return': number(({ finished }) => finished?.total ?? 0),
    'row/length': number(({ finished }) => finished?.length ?? 0),
  };
};

/**
 * A stage that acts in copies of a world: a batch of steps, in rows that are pieces of episodes. The copies go on
 * from batch to batch, and are saved with checkpoints.
 */
export const actIn = (world: ControlWorld) => (how: Acting) =>
  stage({
    id: ID,
    needs: [],
    adds: [
      'tokens',
      'mask',
      'weight',
      'behaviorLogp',
      'values',
      'credit/earned',
      'row/after',
      'row/finished',
      'row/return',
      'row/length',
    ],
    run: async (_, context) => {
      const play = new Play(world, how, context);
      // the check of the specification has copies share a batch equally
      await play.steps(context.batch / how.copies);
      return { columns: columnsOf(play.pieces.flat(), world.observations.length) };
    },
  });
