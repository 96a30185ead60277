/**
 * Controllers read a run's live numbers and set its knobs. A run may have several; the loop combines them
 * into one.
 */
import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import type { ControllerInfo, JsonSchema } from '../../schema/method-info.ts';
import type { RandomStream } from '../../random/random.ts';
import type { ColumnValue, Problem } from './columns.ts';

/** The columns of a batch by name. */
type Table = { readonly [name: string]: ColumnValue };

/** A controller's view at the start of a batch. */
export interface TurnView {
  /** Share of the run's updates that are done, 0–1. */
  readonly progress: number;
  random(purpose: string): RandomStream;
}

/** The knobs of a run. Each is used only if the recipe has its station; an absent knob keeps the default. */
export interface Knobs {
  /** Selects the problems of the next batch: `batch` of the candidates, which are eight times as many. */
  choose?(candidates: readonly Problem[], batch: number, turn: TurnView): readonly Problem[];
  /** Number of answers per problem; their sum is problems × `size`. */
  sizes?(problems: readonly Problem[], size: number, turn: TurnView): readonly number[];
  /** Share of the worked answer shown in each prompt, 0–1. */
  hints?(problems: readonly Problem[], turn: TurnView): readonly number[];
  /** Sampling temperature, as a factor of the run's. */
  temperature?(turn: TurnView): number;
  /**
   * Temperature of answer token `t` (from 0), as a factor of the batch's; behaviour log-probabilities use
   * it.
   */
  annealing?(turn: TurnView): (t: number) => number;
  /** Weights of objective terms, by the terms' names (`entropy`). */
  weights?(turn: TurnView): { readonly [term: string]: number };
  /** Minimum reward of an imitated row: the others have weight 0. */
  threshold?(turn: TurnView): number;
  /** Receives a scored batch of rows; `metrics` are those of its update. */
  observe?(table: Table, metrics: { readonly [name: string]: number }): void;
}

/** Terms that a controller may add to an objective. */
export type AddedTerm = 'entropy';

/** An opened controller. Its state is plain data, saved with every checkpoint. */
export interface LiveController extends Knobs {
  /** Names of the terms that it weights: an objective without such a term gets it added. */
  readonly adds?: readonly AddedTerm[];
  state?(): unknown;
  restore?(state: unknown): void;
  /** Metrics, shown as `control/<id>/<name>`. */
  metrics?(): { readonly [name: string]: number };
}

/** Facts of the run for a new controller. */
export interface ControlFacts {
  readonly steps: number;
  readonly batch: number;
}

/** A controller as listed in catalogues and forms. */
export interface Controller {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly params: z.ZodObject;
  readonly info: ControllerInfo;
  /** Throws `invalid-input` for invalid parameters. */
  open(params: unknown, facts: ControlFacts): LiveController;
}

export const defineController = <P extends z.ZodObject>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  readonly params: P;
  readonly open: (params: z.output<P>, facts: ControlFacts) => LiveController;
}): Controller => {
  const { id, title, summary, cites, params } = definition;
  return {
    id,
    title,
    summary,
    cites,
    params,
    info: { id, title, summary, cites, params: z.toJSONSchema(params, { io: 'input' }) as JsonSchema },
    open: (given, facts) => {
      const parsed = params.safeParse(given ?? {});
      if (!parsed.success)
        throw new WhetstoneError(
          'invalid-input',
          `The parameters of controller "${id}" do not fit: ${z.prettifyError(parsed.error)}`,
          { where: `controllers: ${id}` },
        );
      return definition.open(parsed.data, facts);
    },
  };
};

/** Candidate problems per selected one. */
export const CANDIDATES = 8;

interface Named {
  readonly id: string;
  readonly live: LiveController;
}

/** Combines controllers: the first one that sets a knob decides; temperatures and weights multiply. */
export class Control {
  readonly #live: readonly Named[];

  constructor(live: readonly Named[] = []) {
    this.#live = live;
  }

  #first<K extends keyof Knobs>(knob: K): LiveController | undefined {
    return this.#live.find(({ live }) => live[knob])?.live;
  }

  get chooses(): boolean {
    return this.#first('choose') !== undefined;
  }
  get adds(): readonly AddedTerm[] {
    return this.#live.flatMap(({ live }) => live.adds ?? []);
  }
  /** True if rows are sampled from a distribution other than the role's own. */
  get samplesOffPolicy(): boolean {
    return this.#live.some(({ live }) => live.temperature ?? live.annealing);
  }
  get hints(): boolean {
    return this.#first('hints') !== undefined;
  }

  choose(candidates: readonly Problem[], batch: number, turn: TurnView): readonly Problem[] {
    return this.#first('choose')?.choose?.(candidates, batch, turn) ?? candidates.slice(0, batch);
  }

  sizes(problems: readonly Problem[], size: number, turn: TurnView): readonly number[] {
    const sizes = this.#first('sizes')?.sizes?.(problems, size, turn) ?? problems.map(() => size);
    if (sizes.length !== problems.length || sizes.some((n) => !Number.isInteger(n) || n < 0))
      throw new WhetstoneError(
        'internal',
        'A controller gave group sizes that are not whole numbers, one a problem.',
      );
    return sizes;
  }

  shown(problems: readonly Problem[], turn: TurnView): readonly number[] {
    return this.#first('hints')?.hints?.(problems, turn) ?? problems.map(() => 0);
  }

  temperature(turn: TurnView): number {
    return this.#live.reduce((product, { live }) => product * (live.temperature?.(turn) ?? 1), 1);
  }

  threshold(turn: TurnView): number {
    return this.#live.reduce(
      (most, { live }) => Math.max(most, live.threshold?.(turn) ?? -Infinity),
      -Infinity,
    );
  }

  annealing(turn: TurnView): ((t: number) => number) | undefined {
    return this.#first('annealing')?.annealing?.(turn);
  }

  weights(turn: TurnView): { readonly [term: string]: number } {
    const weights: { [term: string]: number } = {};
    for (const { live } of this.#live)
      for (const [term, weight] of Object.entries(live.weights?.(turn) ?? {}))
        weights[term] = (weights[term] ?? 1) * weight;
    return weights;
  }

  observe(table: Table, metrics: { readonly [name: string]: number }): void {
    for (const { live } of this.#live) live.observe?.(table, metrics);
  }

  metrics(): { readonly [name: string]: number } {
    return Object.fromEntries(
      this.#live.flatMap(({ id, live }) =>
        Object.entries(live.metrics?.() ?? {}).map(([name, value]) => [`control/${id}/${name}`, value]),
      ),
    );
  }

  state(): { readonly [id: string]: unknown } {
    return Object.fromEntries(this.#live.flatMap(({ id, live }) => (live.state ? [[id, live.state()]] : [])));
  }

  restore(saved: { readonly [id: string]: unknown }): void {
    for (const { id, live } of this.#live) if (id in saved) live.restore?.(saved[id]);
  }
}
