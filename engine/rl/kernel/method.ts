import type * as z from 'zod';
import type { MethodInfo } from '../../schema/method-info.ts';
import type { ModelSource, NetworkOutputs, SoftPrompt } from '../../schema/model.ts';
import type { RunSpecInput } from '../../schema/run-spec.ts';
import type { Enumerable } from './optimum.ts';
import type { JudgeOutput } from '../../schema/judge-output.ts';
import type { Recipe } from './recipe.ts';

/**
 * A search. `choose`: rules choose among whole answers, read and weighted like this. `guide`: the run's
 * rewards guide how answers grow, so that they must not know the right one. `rounds`: prompts show earlier
 * answers, all of them or the best by the run's rewards (which must not know the right one) or by the
 * verifier.
 */
export type SearchSettings =
  | {
      readonly kind: 'choose';
      readonly reading: {
        readonly answer: 'last-line' | 'marked' | 'number' | 'whole';
        readonly mark: string;
      };
      readonly rankPower: number;
    }
  | {
      readonly kind: 'guide';
      /** Its line in the curve; by default that of a beam search. */
      readonly line?: { readonly id: string; readonly title: string };
    }
  | { readonly kind: 'rounds'; readonly selector: 'none' | 'rewards' | 'verifier' };

/**
 * A toy run that must reach its bound, and must fail to with shuffled rewards (or targets) or learning rate
 * 0.
 */
export interface Sanity<P> {
  /** A world of texts, or a control world for a method that acts in one. */
  readonly world: `${'toy' | 'control'}/${string}`;
  readonly worldParams?: object;
  /** A metric's last value (`eval/loss`), or `kind/field` of a result (`evaluation/gold`). */
  readonly metric: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly params?: P;
  /** Widths of the hidden layers of its network in a control world; one of 32 by default. */
  readonly hidden?: readonly number[];
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
  /** Parameters that the launch form shows among its main fields, in this order; by default none. */
  readonly main?: readonly (keyof z.input<P> & string)[];
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
   * For a test-time search: how answers are read and compared. Its rows are kept to the end of the run, which
   * measures the rules that choose among them.
   */
  readonly search?: (p: z.output<P>) => SearchSettings;
  /**
   * The head of its model, if `produces` does not determine it, and texts that its tokenizer must encode
   * besides the task's.
   */
  readonly head?: 'next-token' | 'reward';
  readonly texts?: (p: z.output<P>) => readonly string[];
  /**
   * Outputs of its network in a control world, `choices` by default. With `values` and `numbers` it is read at
   * temperature 1, and an evaluation takes the best action, or the mean one.
   */
  readonly outputs?: NetworkOutputs;
  /** The direction that is drawn for each answer of its policy, a model on text; none by default. */
  readonly softPrompt?: (p: z.output<P>) => SoftPrompt;
  /** The shape of its network in a control world, as far as a run leaves it open. */
  readonly network?: Partial<Pick<Extract<ModelSource, { kind: 'network' }>, 'hidden' | 'activation'>>;
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
  'recipe' | 'optimum' | 'presets' | 'sanity' | 'judgeOutput' | 'texts' | 'search' | 'softPrompt' | 'main'
> {
  readonly main: readonly string[];
  readonly presets: { readonly [name: string]: object };
  readonly sanity?: Sanity<object>;
  optimum(world: Enumerable, params: unknown): Float64Array | undefined;
  judgeOutput(params: unknown): JudgeOutput | undefined;
  search(params: unknown): SearchSettings | undefined;
  texts(params: unknown): readonly string[];
  softPrompt(params: unknown): SoftPrompt | undefined;
  recipe(params: unknown, task: object): Recipe;
}

/** Makes `defineMethod` for kinds of task and the sources that each gives a recipe. */
export const methodDefiner =
  <Tasks extends object>() =>
  <P extends z.ZodObject, Kind extends keyof Tasks & string>(
    method: MethodOf<P, Kind, Tasks[Kind]>,
  ): Method => ({
    ...method,
    main: method.main ?? [],
    presets: { ...method.presets } as Method['presets'],
    sanity: method.sanity as Method['sanity'],
    optimum: (world, params) => method.optimum?.(world, method.params.parse(params)),
    judgeOutput: (params) => method.judgeOutput?.(method.params.parse(params)),
    search: (params) => method.search?.(method.params.parse(params)),
    texts: (params) => method.texts?.(method.params.parse(params)) ?? [],
    softPrompt: (params) => method.softPrompt?.(method.params.parse(params)),
    recipe: (params, task) => method.recipe(method.params.parse(params), task as Tasks[Kind]),
  });
