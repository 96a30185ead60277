import { WhetstoneError } from '../common/errors.ts';
import { uniform } from '../random/random.ts';
import { actionSize, clamp, type ControlWorld } from './control-world.ts';

/** All that a later step depends on, as plain numbers. */
export interface SavedCopies {
  readonly state: readonly number[];
  readonly steps: readonly number[];
  readonly episodes: readonly number[];
}

/**
 * Copies of a world that advance together. A copy whose episode is over begins the next one within the same
 * step: `observations` are then of its start, and `last` holds the observation in which the episode ended.
 * Start states are a function of (seed, copy, episode), whatever other copies do.
 */
export class Copies {
  readonly world: ControlWorld;
  readonly count: number;
  /** [copies × O]: what the next action is chosen on. */
  readonly observations: Float32Array;
  /** [copies × O]: what the last action led to; another start only in `observations`. */
  readonly last: Float32Array;
  /** [copies]: reward of the last step. */
  readonly rewards: Float64Array;
  /** [copies]: 1 if the last step ended in a terminal state. */
  readonly terminated: Uint8Array;
  /** [copies]: 1 if the last step reached the limit without a terminal state. */
  readonly truncated: Uint8Array;
  /** [copies]: number of the state, in a world with countable ones; 0 in others. */
  readonly indices: Uint32Array;
  /** [copies]: number of the state that the last action led to; another start only in `indices`. */
  readonly lastIndices: Uint32Array;
  private readonly seed: number;
  private readonly state: Float64Array;
  private readonly steps: Uint32Array;
  private readonly episodes: Uint32Array;
  private readonly actions: Float64Array;

  /** Throws `invalid-input` unless there are 1 to 65,536 copies. */
  constructor(world: ControlWorld, count: number, seed: number) {
    if (!Number.isInteger(count) || count < 1 || count > 65_536)
      throw new WhetstoneError('invalid-input', `There must be 1 to 65536 copies of a world, not ${count}.`, {
        where: 'copies',
      });
    this.world = world;
    this.count = count;
    this.seed = seed;
    const observed = count * world.observations.length;
    this.observations = new Float32Array(observed);
    this.last = new Float32Array(observed);
    this.rewards = new Float64Array(count);
    this.terminated = new Uint8Array(count);
    this.truncated = new Uint8Array(count);
    this.indices = new Uint32Array(count);
    this.lastIndices = new Uint32Array(count);
    this.state = new Float64Array(count * world.stateSize);
    this.steps = new Uint32Array(count);
    this.episodes = new Uint32Array(count);
    this.actions = new Float64Array(count * actionSize(world.actions));
    for (let copy = 0; copy < count; copy++) this.begin(copy);
  }

  /**
   * One step of every copy. `actions`: [copies × A], the number of a choice, or numbers, which are clipped to
   * their bounds. Throws `invalid-input` for an action that the world does not have, before any copy has
   * moved.
   */
  step(actions: ArrayLike<number>): void {
    this.read(actions);
    const { world, state } = this;
    const size = actionSize(world.actions);
    const width = world.observations.length;
    for (let copy = 0; copy < this.count; copy++) {
      const at = copy * world.stateSize;
      this.rewards[copy] = world.advance(state, at, this.actions, copy * size);
      this.steps[copy]++;
      const isTerminal = world.isTerminal(state, at);
      const isCut = !isTerminal && this.steps[copy] >= world.limit;
      this.terminated[copy] = isTerminal ? 1 : 0;
      this.truncated[copy] = isCut ? 1 : 0;
      world.observe(state, at, this.last, copy * width);
      const index = world.table?.indexOf(state, at) ?? 0;
      this.lastIndices[copy] = index;
      this.indices[copy] = index;
      if (isTerminal || isCut) {
        this.episodes[copy]++;
        this.begin(copy);
      } else for (let k = copy * width; k < (copy + 1) * width; k++) this.observations[k] = this.last[k];
    }
  }

  /** Number of the episode that a copy is in, from 0. */
  episodeOf(copy: number): number {
    return this.episodes[copy];
  }

  save(): SavedCopies {
    return { state: [...this.state], steps: [...this.steps], episodes: [...this.episodes] };
  }

  /** Throws `invalid-input` if it was saved by another world or another number of copies. */
  restore({ state, steps, episodes }: SavedCopies): void {
    if (state.length !== this.state.length || steps.length !== this.count || episodes.length !== this.count)
      throw new WhetstoneError(
        'invalid-input',
        'The saved copies are of another world or number of copies.',
        {
          where: 'state',
        },
      );
    this.state.set(state);
    this.steps.set(steps);
    this.episodes.set(episodes);
    for (let copy = 0; copy < this.count; copy++) this.show(copy);
  }

  private begin(copy: number): void {
    const { world, state, seed } = this;
    let drawn = 0;
    const at = copy * world.stateSize;
    const draw = () => uniform(seed, 'control-start', copy, this.episodes[copy], drawn++);
    world.start(state, at, draw);
    this.steps[copy] = 0;
    this.show(copy);
  }

  /** Writes the observation and the number of a copy's state. */
  private show(copy: number): void {
    const { world, state } = this;
    const at = copy * world.stateSize;
    world.observe(state, at, this.observations, copy * world.observations.length);
    this.indices[copy] = world.table?.indexOf(state, at) ?? 0;
  }

  /** Checks the actions and clips numbers to their bounds. */
  private read(actions: ArrayLike<number>): void {
    const { actions: space } = this.world;
    if (actions.length !== this.actions.length)
      throw new WhetstoneError(
        'invalid-input',
        `There are ${actions.length} numbers of actions for ${this.count} copies; ${this.actions.length} are needed.`,
        { where: 'actions' },
      );
    const size = actionSize(space);
    for (let k = 0; k < actions.length; k++) {
      const action = actions[k];
      const isValid =
        space.kind === 'choices'
          ? Number.isInteger(action) && action >= 0 && action < space.names.length
          : !Number.isNaN(action);
      if (!isValid)
        throw new WhetstoneError('invalid-input', `${action} is no action of ${this.world.id}.`, {
          where: `actions.${k}`,
        });
      this.actions[k] =
        space.kind === 'choices' ? action : clamp(action, space.low[k % size], space.high[k % size]);
    }
  }
}
