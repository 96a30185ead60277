/** Drops training and held-out rows longer than the model's context, and counts them. */
import { WhetstoneError } from '../../common/errors.ts';
import type { MethodInfo } from '../../schema/method-info.ts';
import type { ModelSource } from '../../schema/model.ts';
import type { TaskKindInfo } from '../../schema/task-kind.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Problem } from '../kernel/columns.ts';
import type { IndexedStream, Example, Graded, TaskData, Pair } from './task-data.ts';
import { linesOf, sequenceOf, type EncodingOptions } from './encoding.ts';

type TrainingRows = TaskKindInfo['trainsOn'];

export interface FittingOptions extends EncodingOptions {
  readonly trainsOn: TrainingRows;
  readonly produces: MethodInfo['produces'];
  /** Source of the model, for the error's hint. */
  readonly source: ModelSource['kind'];
  /** True if answers are tokenized and judged line by line. */
  readonly bySteps: boolean;
  /** True if rewards sample answers from the initial model, so that every prompt must leave room for one. */
  readonly needsInitialAnswers: boolean;
  /** The role that reads the rows, if not the policy. */
  readonly role?: string;
  /** Held-out problems of the policy's evaluation; empty without one. */
  readonly problems: readonly Problem[];
}

/**
 * Counts of rows longer than the model's context. A world's training rows are endless and are counted when
 * drawn.
 */
export class LeftOut {
  training = 0;
  heldout = 0;
  /** Held-out problems without room for an answer. */
  problems = 0;
  /** Rows of datasets of further evaluations. */
  evaluations = 0;

  get rows(): number {
    return this.training + this.heldout + this.problems + this.evaluations;
  }

  /** The counts as metrics of the run; empty if no row was dropped. */
  metrics(): { readonly [name: string]: number } {
    const { training, heldout, problems, evaluations } = this;
    const parts = { training, heldout, problems, evaluations };
    const named = Object.entries(parts).filter(([, rows]) => rows > 0);
    if (named.length === 0) return {};
    return Object.fromEntries([
      ['data/too_long', this.rows],
      ...named.map(([part, rows]) => [`data/too_long/${part}`, rows]),
    ]);
  }
}

/** Number of context tokens for each kind of item. */
const sizesOf = ({ tokenizer, maxTokens, bySteps, needsInitialAnswers }: FittingOptions) => {
  const row = (item: Parameters<typeof sequenceOf>[1]): number => sequenceOf(tokenizer, item).tokens.length;
  const problem = ({ prompt }: Pick<Problem, 'prompt'>): number =>
    encodePrompt(tokenizer, prompt).length + maxTokens;
  const sides = (prompt: string, ...answers: readonly string[]): number =>
    Math.max(...answers.map((answer) => row({ prompt, answer })));
  const graded = (item: Graded): number =>
    Math.max(
      row(item),
      bySteps ? linesOf(tokenizer, item).tokens.length : 0,
      needsInitialAnswers ? problem(item) : 0,
    );
  const pair = ({ prompt, chosen, rejected, gold = chosen }: Pair): number =>
    sides(prompt, chosen, rejected, gold);
  return { row, problem, sides, graded, pair };
};

/** Filters items by the context; counts those beyond it and keeps their smallest and largest size. */
class Sieve {
  left = 0;
  least = Infinity;
  most = 0;
  readonly #context: number;

  constructor(context: number) {
    this.#context = context;
  }

  readonly fits = (size: number): boolean => {
    if (size <= this.#context) return true;
    this.left++;
    this.least = Math.min(this.least, size);
    this.most = Math.max(this.most, size);
    return false;
  };
}

/**
 * The error's hint, with the smallest sufficient context. `arePrompts`: the items are prompts that also need room
 * for an answer.
 */
const nothingLeft = (
  message: string,
  { least, most }: Sieve,
  { source, maxTokens, role = 'policy' }: FittingOptions,
  arePrompts: boolean,
): WhetstoneError => {
  const needed = least === most ? `${least} tokens` : `${least} tokens for the shortest, ${most} for all`;
  const longer =
    `${arePrompts ? 'use' : 'Use'} a model with a longer context (${needed}), a tokenizer with longer tokens, ` +
    `or shorter ${arePrompts ? 'prompts' : 'rows'}.`;
  const ofModel =
    source === 'new' && role === 'policy' ? 'models.policy.architecture.context' : `models.${role}`;
  return new WhetstoneError('invalid-input', message, {
    where: arePrompts ? 'sampling.maxTokens' : ofModel,
    hint: arePrompts
      ? `Use answers shorter than ${maxTokens} tokens (sampling.maxTokens), or ${longer}`
      : longer,
  });
};

/**
 * Number of draws tried for a replacement that fits, for a world's endless stream, and the distance between
 * them.
 */
const TRIES = 64;
const APART = 1_000_003;

/**
 * Filters an endless stream: each item that does not fit is replaced by another one, the same in every run.
 */
const redrawn = <T>(
  draws: IndexedStream<T>,
  keep: (item: T) => boolean,
  refuse: () => WhetstoneError,
  leftOut: (draw: number) => void,
): IndexedStream<T> => ({
  ...draws,
  at: (draw) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const item = draws.at(draw + attempt * APART);
      if (keep(item)) return item;
      if (attempt === 0) leftOut(draw);
    }
    throw refuse();
  },
});

/** Nouns for the training rows in error messages. */
const nouns: { readonly [K in TrainingRows]: string } = {
  examples: 'demonstrations',
  graded: 'graded answers',
  pairs: 'decided pairs',
  problems: 'prompts',
  steps: 'steps',
};

/**
 * Drops the rows that exceed the model's context, and counts them. Throws `invalid-input` if no training row
 * or no held-out problem of the policy's evaluation remains, or if a row cannot be tokenized.
 */
export const fitting = (
  data: TaskData,
  options: FittingOptions,
): { material: TaskData; leftOut: LeftOut } => {
  const leftOut = new LeftOut();
  const training = fittingRole(data, options, leftOut);
  return { material: { ...training, heldout: heldoutOf(data, options, leftOut) }, leftOut };
};

/** The same of the training rows alone, for a role with a tokenizer of its own. */
export const fittingRole = (data: TaskData, options: FittingOptions, leftOut: LeftOut): TaskData => {
  const { trainsOn, context } = options;
  const sizes = sizesOf(options);
  const arePrompts = trainsOn === 'problems';
  const known = new Set<number>();
  const sifted = <T>(
    draws: IndexedStream<T> | undefined,
    size: (item: T) => number,
  ): IndexedStream<T> | undefined => {
    if (!draws) return undefined;
    const sieve = new Sieve(context);
    const keep = (item: T): boolean => sieve.fits(size(item));
    const refuse = (count: number): WhetstoneError =>
      nothingLeft(
        `None of the ${count} ${nouns[trainsOn]} of ${data.name} fits the model's context of ${context} tokens.`,
        sieve,
        options,
        arePrompts,
      );
    if (!draws.only) {
      return redrawn(
        draws,
        keep,
        () => refuse(TRIES),
        (draw) => {
          if (!known.has(draw)) leftOut.training++;
          known.add(draw);
        },
      );
    }
    const kept = draws.only(keep);
    if (draws.size > 0 && kept.size === 0) throw refuse(draws.size);
    leftOut.training += draws.size - kept.size;
    return kept;
  };
  const streams: { readonly [K in TrainingRows]: () => Partial<TaskData> } = {
    examples: () => ({ examples: sifted(data.examples, sizes.row) }),
    graded: () => ({ graded: sifted(data.graded, sizes.graded) }),
    pairs: () => ({ pairs: sifted(data.pairs, sizes.pair) }),
    problems: () => ({
      problems: sifted(data.problems, sizes.problem),
      worked: workedOf(data, options, sizes.problem),
    }),
    steps: () => ({}),
  };
  return { ...data, ...streams[trainsOn]() };
};

/** Worked answers whose prompts leave room for an answer, for methods that guide their prompts with them. */
const workedOf = (
  { worked, name }: TaskData,
  options: FittingOptions,
  size: (item: Example) => number,
): IndexedStream<Example> | undefined => {
  const sieve = new Sieve(options.context);
  const keep = (item: Example): boolean => sieve.fits(size(item));
  if (!worked || worked.only) return worked?.only?.(keep);
  const message =
    `None of ${TRIES} worked answers of ${name} leaves room for an answer of ${options.maxTokens} tokens: ` +
    `the model's context is ${options.context}.`;
  return redrawn(
    worked,
    keep,
    () => nothingLeft(message, sieve, options, true),
    () => undefined,
  );
};

/** Held-out rows within the context. */
const heldoutOf = (
  { name, heldout, world }: TaskData,
  options: FittingOptions,
  leftOut: LeftOut,
): TaskData['heldout'] => {
  const { trainsOn, produces, context, problems, maxTokens } = options;
  const sizes = sizesOf(options);
  const kept = <T>(items: readonly T[], size: (item: T) => number, counted: boolean): readonly T[] => {
    const fit = items.filter((item) => size(item) <= context);
    if (counted) leftOut.heldout += items.length - fit.length;
    return fit;
  };
  // graded answers from a file come from its pairs, which are counted already; a world makes both
  const own = (of: TrainingRows): boolean => trainsOn === of || world !== undefined;
  const isJudge = produces === 'reward';
  const sieve = new Sieve(context);
  const readable = problems.filter((problem) => sieve.fits(sizes.problem(problem)));
  leftOut.problems = sieve.left;
  if (problems.length > 0 && readable.length === 0) {
    const message =
      `None of the ${problems.length} held-out problems of ${name} leaves room for an answer of ` +
      `${maxTokens} tokens: the model's context is ${context}.`;
    throw nothingLeft(message, sieve, options, true);
  }
  return {
    examples: trainsOn === 'examples' ? kept(heldout.examples, sizes.row, true) : heldout.examples,
    graded: isJudge ? kept(heldout.graded, sizes.graded, own('graded')) : heldout.graded,
    pairs:
      isJudge || trainsOn === 'pairs'
        ? kept(heldout.pairs, ({ prompt, a, b }) => sizes.sides(prompt, a, b), own('pairs'))
        : heldout.pairs,
    problems: readable,
  };
};
