import type { RandomStream } from '../../random/random.ts';
import type { Station } from '../../schema/atlas.ts';
import type { Latent } from '../../schema/model.ts';
import type { Control } from './control.ts';
import type { RewardStack } from './reward-stack.ts';
import type {
  Answers,
  Column,
  Columns,
  Inputs,
  Need,
  Outlook,
  PerToken,
  Port,
  Problem,
  SampleOptions,
  TextPort,
} from './columns.ts';

/** Station of a stage in a recipe; a part is in the folder of its station. */
export type StageStation = Exclude<Station, 'objective'>;
type Placed<N> = [N] extends [never]
  ? { readonly station?: StageStation }
  : { readonly station: StageStation };

/**
 * A step of a pipe. `needs` and `adds` are data: types check them at compile time, registration checks them
 * again.
 */
export interface Stage<Needs extends Need = Need, Adds extends Column = Column> {
  readonly id: string;
  readonly station: StageStation;
  readonly needs: readonly Needs[];
  readonly adds: readonly Adds[];
  /** True if its advantages already account for the distribution that rows were sampled from. */
  readonly correctsSampling?: boolean;
  /**
   * True if it exchanges text alone with the models that it names: it asks each by that model's own tokenizer
   * (`ModelPort.text`), and reads what it writes as text.
   */
  readonly byText?: boolean;
  /** True if it has answers continued from the middle, where no world may reply and no grammar begins. */
  readonly continues?: boolean;
  /** True if it puts stored rows in place of the sampled ones, which count as made and join the buffers. */
  readonly replaces?: boolean;
  /** Erased here; `stage()` checks it against `needs` and `adds`. */
  readonly run: (inputs: never, context: StageContext) => Promise<Change<never>>;
}

/** The origin of rows: prompts, demonstrations, pairs, stored rows. */
export type Source<Adds extends Column> = Stage<never, Adds>;

/** Plain data by stage id; undefined for a stage that has kept none. */
export interface StageMemory {
  get(stage: string): unknown;
  set(stage: string, state: unknown): void;
}

/** A stage's access to the run besides its columns. */
export interface StageContext {
  /** Number of earlier batches of this role: the only data cursor. */
  readonly draw: number;
  /** Prompts (or demonstrations, or pairs) per batch. */
  readonly batch: number;
  /** Share of the run's updates that are done, 0–1, for schedules. */
  readonly progress: number;
  /** The tokenizer of the role's own model. */
  readonly text: TextPort;
  /** The run's controllers: selection of prompts, group sizes, hints, temperature. */
  readonly control: Control;
  /** The role's own scorers, in place of the run's. */
  readonly rewards?: RewardStack<'total'>;
  /**
   * The state that a stage keeps from batch to batch: plain data, saved with every checkpoint. A batch that
   * is cancelled leaves the earlier state.
   */
  readonly memory: StageMemory;
  /** The id under which an answer of this batch is recorded. */
  answerId(promptId: string, sample: number): string;
  /**
   * R. What the world's verifier says about each answer (`2 of 4 tests pass`), in characters that the
   * tokenizer can spell; '' on a task without a world.
   */
  reasons(
    rows: readonly { readonly prompt: string; readonly completion: string }[],
  ): Promise<readonly string[]>;
  /** Latent that the role's own network reads in an episode, or its model on text for an answer. */
  readonly latent?: Latent;
  /** What the role's own network says to N observations [N × F], at the role's temperature. */
  act(observed_NF: Float32Array, rows: number): Promise<Outlook>;
  /** Random numbers of this role's batch, keyed by purpose. */
  random(purpose: string): RandomStream;
  /**
   * One answer to each row's prompt, by the role's own model. Random draws are keyed by (problem, sample),
   * never by the position in the batch.
   */
  sample(
    prompts_RT: PerToken<Int32Array>,
    problem_R: readonly Problem[],
    sample_R: Float64Array,
    how?: SampleOptions,
  ): Promise<Answers>;
}

export interface Change<Adds extends Column> {
  readonly columns: { readonly [C in Adds]: Columns[C] };
  /**
   * For each new row, the index of the earlier row that it continues: repeats, drops, reorders. Absent: the
   * rows stay as they are.
   */
  readonly from_R?: Uint32Array;
  /**
   * Raw values by scorer id, recorded as `reward/<id>`; the run chooses the scorers, so stages cannot read
   * them by name.
   */
  readonly raw?: { readonly [scorer: string]: Float64Array };
}

/**
 * Defines a stage; its type is inferred from `needs` and `adds`. One without needs begins a pipe, and its
 * station is `start` by default.
 */
export const stage = <const N extends Need, const A extends Column>(
  part: {
    readonly id: string;
    readonly needs: readonly N[];
    readonly adds: readonly A[];
    readonly correctsSampling?: boolean;
    readonly byText?: boolean;
    readonly continues?: boolean;
    readonly replaces?: boolean;
    readonly run: (inputs: Inputs<N>, context: StageContext) => Promise<Change<A>>;
  } & Placed<N>,
): Stage<N, A> => ({ station: 'start', ...part });

/** Result of a pipe: rows with these columns, and its needs from outside. */
export interface Rows<Has extends Column = Column, Ports extends Port = Port> {
  readonly stages: readonly Stage[];
  readonly has: readonly Has[];
  readonly ports: readonly Ports[];
}

export type NeedsOf<P> = P extends { readonly needs: readonly (infer N)[] } ? N : never;
export type AddsOf<P> = P extends { readonly adds: readonly (infer A)[] } ? A : never;

/** Appears only in compile errors: the stage needs a column that no earlier stage adds. */
export interface NoEarlierStageAdds<Missing> {
  readonly missing: Missing;
}

/** The same stages, with an error type in place of each stage that comes too early. */
type InOrder<S extends readonly unknown[], Have = never> = S extends readonly [infer First, ...infer Rest]
  ? [
      Lacks<First, Have> extends never ? First : NoEarlierStageAdds<Lacks<First, Have>>,
      ...InOrder<Rest, Have | AddsOf<First>>,
    ]
  : [];
type Lacks<P, Have> = Exclude<NeedsOf<P>, Have | Port>;

/** Stages, first to last. The first is a source (prompts, pairs, rows of a buffer): it needs no column. */
export const pipe = <S extends readonly Stage[]>(
  ...stages: S extends InOrder<S> ? S : InOrder<S>
): Rows<AddsOf<S[number]>, Extract<NeedsOf<S[number]>, Port>> => {
  const list = stages as readonly unknown[] as readonly Stage[];
  const rows: Rows = {
    stages: list,
    has: [...new Set(list.flatMap((s) => s.adds))],
    ports: [...new Set(list.flatMap((s) => s.needs).filter(isPort))],
  };
  return rows as Rows<AddsOf<S[number]>, Extract<NeedsOf<S[number]>, Port>>;
};

export const isPort = (need: Need): need is Port => need.startsWith('model/') || need.startsWith('buffer/');

/**
 * A filter that a parameter can turn off. Only for stages that add nothing, so that the columns never depend
 * on a value.
 */
export const when = <N extends Need>(on: boolean, filter: Stage<N, never>): Stage<N, never> =>
  on
    ? filter
    : {
        id: `no ${filter.id}`,
        station: filter.station,
        needs: [],
        adds: [],
        run: async () => ({ columns: {} }),
      };
