import type { z } from 'zod';
import type { MethodInfo, TaskKind } from '../../schema/method-info.ts';
import type { RunSpecInput } from '../../schema/run-spec.ts';
import type { Columns, PerLine, PerRow } from './columns.ts';
import type { Enumerable } from './optimum.ts';
import type { JudgeOutput } from '../../schema/judge-output.ts';
import type { Recipe } from './recipe.ts';
import type { Source } from './stage.ts';

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
   */
  score(
    rows: Pick<Columns, 'problem' | 'completion' | 'tokens' | 'mask' | 'ended'> &
      Partial<Pick<Columns, 'groupId'>>,
  ): Promise<StackValues>;
}

type Pairs = Source<
  'promptId' | 'problem' | 'prompt' | 'pairId' | 'chosen' | 'agreement' | 'weight' | 'tokens' | 'mask'
>;
type Prompts = Source<'promptId' | 'problem' | 'prompt'>;
type Answered =
  | 'promptId'
  | 'groupId'
  | 'problem'
  | 'prompt'
  | 'weight'
  | 'tokens'
  | 'mask'
  | 'completion'
  | 'ended'
  | 'label';

/** Data sources of methods by kind. The run's task must be of the method's kind. */
export interface Tasks {
  /** Answers to imitate. */
  demonstrations: { readonly demonstrations: Source<'promptId' | 'weight' | 'tokens' | 'mask'> };
  /**
   * Stored answers, right and wrong: `reward` is the run's stack (if empty, `label` is their only score);
   * `steps` marks their worked steps.
   */
  answers: {
    readonly answers: Source<Answered>;
    readonly steps: Source<Answered | 'stepEnd' | 'stepRight'>;
    readonly reward: RewardStack<'total'>;
  };
  /**
   * Prompts whose answers can be scored: `reward` is the run's stack. `guided` prompts include a correct
   * worked answer.
   */
  verifiable: {
    readonly prompts: Prompts;
    readonly guided: Source<'promptId' | 'problem' | 'prompt' | 'worked'>;
    readonly reward: RewardStack<'total'>;
  };
  /**
   * Preference pairs: two rows with one `pairId`, `chosen` 1 and 0, chosen first. `allPairs` is the whole
   * training split as one batch, `count` its number of pairs; `triples` add a third row, a correct answer to
   * the same prompt.
   */
  preferences: {
    readonly pairs: Pairs;
    readonly allPairs: Pairs;
    readonly triples: Pairs;
    readonly count: number;
  };
  /** Prompts alone; `scores` are recorded for the answers. */
  prompts: { readonly prompts: Prompts; readonly scores: RewardStack<'total'> };
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

interface MethodOf<P extends z.ZodObject, Kind extends TaskKind> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** The paper: `arXiv:…` or another findable reference. */
  readonly cites: string;
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
  readonly recipe: (p: z.output<P>, task: Tasks[Kind]) => Recipe;
}

/** A method as the loop and the catalogue see it: parameters unparsed, any task kind. */
export interface Method extends Omit<
  MethodOf<z.ZodObject, TaskKind>,
  'recipe' | 'optimum' | 'presets' | 'sanity' | 'judgeOutput' | 'texts'
> {
  readonly presets: { readonly [name: string]: object };
  readonly sanity?: Sanity<object>;
  optimum(world: Enumerable, params: unknown): Float64Array | undefined;
  judgeOutput(params: unknown): JudgeOutput | undefined;
  texts(params: unknown): readonly string[];
  recipe(params: unknown, task: Tasks[TaskKind]): Recipe;
}

export const defineMethod = <P extends z.ZodObject, Kind extends TaskKind>(
  method: MethodOf<P, Kind>,
): Method => ({
  ...method,
  presets: { ...method.presets } as Method['presets'],
  sanity: method.sanity as Method['sanity'],
  optimum: (world, params) => method.optimum?.(world, method.params.parse(params)),
  judgeOutput: (params) => method.judgeOutput?.(method.params.parse(params)),
  texts: (params) => method.texts?.(method.params.parse(params)) ?? [],
  recipe: (params, task) => method.recipe(method.params.parse(params), task as Tasks[Kind]),
});
