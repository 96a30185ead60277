/** Earlier versions of the main role's model that stages can refer to: one batch behind, and a running average. */
import type { ParameterSet } from '../../models/parameters.ts';
import type { Model } from '../../models/model.ts';
import type { Device } from '../../runtime/index.ts';
import { LiveModel } from '../compute/live-model.ts';
import { modelsRead } from '../kernel/objective.ts';
import type { Averaging, Recipe, Snapshot } from '../kernel/recipe.ts';
import type { LiveRole, RoleModel } from './live-role.ts';
import { cannotResume } from './refusals.ts';

/** Snapshots that follow the main role; `initial` never changes and is not one of them. */
type Following = Exclude<Snapshot, 'initial'>;
type Main = Pick<LiveRole, 'trained' | 'live' | 'model' | 'tokenizer'>;

/** The snapshots that a stage or the objective of some role refers to. */
export const snapshotsUsed = (
  recipe: Recipe,
  roles: readonly Pick<LiveRole, 'stages' | 'role'>[],
): Following[] =>
  (['previous', 'average'] as const).filter(
    (name) =>
      !(name in recipe.roles) &&
      roles.some(
        ({ stages, role }) =>
          modelsRead(role.objective).includes(name) ||
          stages.some(({ needs }) => needs.some((need) => need === `model/${name}`)),
      ),
  );

/**
 * Moves an average towards the current parameters after the `updates`-th update: `decay · average + (1 − decay)
 * · current`, or a copy after every so many updates.
 */
export const average = (
  average_P: Float32Array,
  current_P: Float32Array,
  averaging: Averaging,
  updates: number,
): void => {
  if ('every' in averaging) {
    if (updates % averaging.every === 0) average_P.set(current_P);
    return;
  }
  const { decay } = averaging;
  for (let p = 0; p < average_P.length; p++) average_P[p] = decay * average_P[p] + (1 - decay) * current_P[p];
};

interface Opened {
  readonly parameters: ParameterSet;
  readonly model: RoleModel;
}

export class Snapshots {
  readonly #main: Main;
  readonly #averaging: Averaging | undefined;
  readonly #opened: ReadonlyMap<string, Opened>;

  /**
   * Each begins as the main role's start, or at `saved` arrays by `snapshot/<name>`. Throws `conflict` if one
   * is missing from a checkpoint.
   */
  constructor(
    main: Main,
    names: readonly Following[],
    averaging: Averaging | undefined,
    saved?: { readonly [key: string]: Float32Array },
  ) {
    this.#main = main;
    this.#averaging = averaging;
    this.#opened = new Map(names.map((name) => [name, opened(main, saved && savedOf(saved, name, main))]));
  }

  /** True if no stage refers to one, so that there is nothing to follow. */
  get isEmpty(): boolean {
    return this.#opened.size === 0;
  }

  /** The snapshot of that name, if it is open. */
  modelOf(name: string): RoleModel | undefined {
    return this.#opened.get(name)?.model;
  }

  /**
   * Takes the current parameters before the first update on a batch of rows; the returned function makes them
   * `previous` once that update has been taken, so that a batch cancelled before leaves no trace.
   */
  async take(device: Device): Promise<() => void> {
    const previous = this.#opened.get('previous');
    if (!previous) return () => undefined;
    const current = (await this.#current(device)).slice();
    return () => {
      previous.parameters.flat.set(current);
      device.changed(previous.parameters.flat);
    };
  }

  /** Moves `average` after the main role's `updates`-th update. */
  async follow(device: Device, updates: number): Promise<void> {
    const [followed, averaging] = [this.#opened.get('average'), this.#averaging];
    if (!followed || !averaging) return;
    // between two copies nothing changes
    if ('every' in averaging && updates % averaging.every !== 0) return;
    average(followed.parameters.flat, await this.#current(device), averaging, updates);
    device.changed(followed.parameters.flat);
  }

  /** The snapshots' parameters for a checkpoint. */
  arrays(): { readonly [key: string]: Float32Array } {
    return Object.fromEntries(
      [...this.#opened].map(([name, { parameters }]) => [`snapshot/${name}`, parameters.flat]),
    );
  }

  async #current(device: Device): Promise<Float32Array> {
    await device.read(this.#main.trained.flat);
    return this.#main.trained.flat;
  }
}

const savedOf = (
  saved: { readonly [key: string]: Float32Array },
  name: Following,
  { trained }: Main,
): Float32Array => {
  const key = `snapshot/${name}`;
  const flat = saved[key] as Float32Array | undefined;
  if (flat?.length !== trained.size)
    throw cannotResume(`it has no snapshot '${name}' of ${trained.size} parameters`, key);
  return flat;
};

const opened = ({ trained, live, model, tokenizer }: Main, saved?: Float32Array): Opened => {
  const parameters = trained.clone();
  if (saved) parameters.flat.set(saved);
  const own: Model = model.adapter
    ? { ...model, adapter: { ...model.adapter, parameters } }
    : { ...model, parameters };
  return {
    parameters,
    model: { live: new LiveModel(live.programs, parameters, live.base), model: own, tokenizer },
  };
};
