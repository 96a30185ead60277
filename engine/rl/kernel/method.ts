import type * as z from 'zod';
import type { MethodInfo } from '../../schema/method-info.ts';
import type { RunSpecInput } from '../../schema/run-spec.ts';
import type { Columns, PerLine, PerRow } from './columns.ts';
import type { Enumerable } from './optimum.ts';
import type { JudgeOutput } from '../../schema/judge-output.ts';
import type { Recipe } from './recipe.ts';

/**
 * Values of a reward stack for rows. `lines`: contribution of each line of an answer's text, if available.
 */
export interface StackValues {
  readonly value: PerRow;
  readonly raw: { readonly [scorer: string]: PerRow };
  readonly lines?: PerLine;
}

/** The run's stack of scorers (engine/rewards). Its id names the column that it fills. */
export interface RewardStack<Id extends string = string> {
  readonly id: Id;
  /** The scorers' names, in the order of the run; and whether there is none. */
  readonly scorers: readonly string[];
  readonly empty: boolean;
  /**
   * One value per row, and each scorer's raw value by scorer id. Scorers that compare do so within a group.
   * `progress`: share of the run's updates that are done, 0–1, for a total that changes over the run.
   */
  score(
    rows: Pick<Columns, 'problem' | 'completion' | 'tokens' | 'mask' | 'ended'> &
      Partial<Pick<Columns, 'groupId'>>,
    progress?: number,
  ): Promise<StackValues>;
}

/**
 * A toy run that must reach its bound, and must fail to with shuffled rewards (or targets) or learning rate
 * 0.
 */
export interface Sanity<P> {
  readonly world: `toy/${string}`;
  readonly worldParams?: object;
  /** A metric's last value (`eval/loss`), or `kind/field` of a result (`evaluation/gold`). */
  readonly metric: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly params?: P;
  readonly run: { readonly optimizer: RunSpecInput['optimizer']; readonly budget: RunSpecInput['budget'] };
}

interface MethodOf<P extends z.ZodObject, Kind extends string, Sources> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** The paper: `arXiv:…` or another findable reference. */
  readonly cites: string;
  /** The kind of task that it learns from. */
  readonly task: Kind;
  readonly produces: MethodInfo['produces'];
  /** Every parameter has a default. The launch form, the flags and the catalogue derive from this. */
  readonly params: P;
  /**
   * Suggested run settings for a small model from random weights (`suggestedFor` adapts them to a pretrained
   * one); the user's own choices take precedence.
   */
  readonly suggested: Pick<RunSpecInput, 'optimizer' | 'budget' | 'sampling' | 'evaluation'>;
  /** Named settings from other papers. */
  readonly presets?: { readonly [name: string]: z.input<P> };
  /** For a method that trains a judge: how to read its model's output. Default: the first label's score. */
  readonly judgeOutput?: (p: z.output<P>) => JudgeOutput;
  /**
   * The head of its model, if `produces` does not determine it, and texts that its tokenizer must encode
   * besides the task's.
   */
  readonly head?: 'next-token' | 'reward';
  readonly texts?: (p: z.output<P>) => readonly string[];
  /**
   * The distribution over outcomes that it converges to on an enumerable problem, if known (for these
   * parameters).
   */
  readonly optimum?: (world: Enumerable, p: z.output<P>) => Float64Array | undefined;
  /** Absent only for a method without training. */
  readonly sanity?: Sanity<z.input<P>>;
  /** Begins with the sources of its kind of task. */
  readonly recipe: (p: z.output<P>, task: Sources) => Recipe;
}

/** A method as the loop and the list see it: parameters still unparsed, any kind of task. */
export interface Method extends Omit<
  MethodOf<z.ZodObject, string, never>,
  'recipe' | 'optimum' | 'presets' | 'sanity' | 'judgeOutput' | 'texts'
> {
  readonly presets: { readonly [name: string]: object };
  readonly sanity?: Sanity<object>;
  optimum(world: Enumerable, params: unknown): Float64Array | undefined;
  judgeOutput(params: unknown): JudgeOutput | undefined;
  texts(params: unknown): readonly string[];
  recipe(params: unknown, task: object): Recipe;
}

/** Makes `defineMethod` for kinds of task and the sources that each gives a recipe. */
export const methodDefiner =
  <Tasks extends object>() =>
  <P extends z.ZodObject, Kind extends keyof Tasks & string>(
    method: MethodOf<P, Kind, Tasks[Kind]>,
  ): Method => ({
    ...method,
    presets: { ...method.presets } as Method['presets'],
    sanity: method.sanity as Method['sanity'],
    optimum: (world, params) => method.optimum?.(world, method.params.parse(params)),
    judgeOutput: (params) => method.judgeOutput?.(method.params.parse(params)),
    texts: (params) => method.texts?.(method.params.parse(params)) ?? [],
    recipe: (params, task) => method.recipe(method.params.parse(params), task as Tasks[Kind]),
  });
