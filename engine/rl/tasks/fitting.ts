/**
 * What of a task the model can read. Rows that are longer are left out, trained and held out alike, and
 * counted.
 */
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
  /** Where the model comes from: what a hint says differs. */
  readonly source: ModelSource['kind'];
  /** Answers are judged line by line, and tokenized so. */
  readonly bySteps: boolean;
  /** Rewards ask the initial model for answers, so every prompt must leave room for one. */
  readonly asksAnswers: boolean;
  /** Held-out problems that the policy is asked; none where it is not examined. */
  readonly problems: readonly Problem[];
}

/**
 * Rows that are longer than the model reads. A world's training rows count when they are drawn, since they
 * have no end.
 */
export class LeftOut {
  training = 0;
  heldout = 0;
  /** Held-out problems that leave no room for an answer. */
  problems = 0;

  get rows(): number {
    return this.training + this.heldout + this.problems;
  }

  /** As metrics of the run; empty where nothing was left out. */
  metrics(): { readonly [name: string]: number } {
    const parts = { training: this.training, heldout: this.heldout, problems: this.problems };
    const named = Object.entries(parts).filter(([, rows]) => rows > 0);
    if (named.length === 0) return {};
    return Object.fromEntries([
      ['data/too_long', this.rows],
      ...named.map(([part, rows]) => [`data/too_long/${part}`, rows]),
    ]);
  }
}

/** How many tokens of context each kind of item takes. */
const sizesOf = ({ tokenizer, maxTokens, bySteps, asksAnswers }: FittingOptions) => {
  const row = (item: Parameters<typeof sequenceOf>[1]): number => sequenceOf(tokenizer, item).tokens.length;
  const problem = ({ prompt }: Pick<Problem, 'prompt'>): number =>
    encodePrompt(tokenizer, prompt).length + maxTokens;
  const sides = (prompt: string, ...answers: readonly string[]): number =>
    Math.max(...answers.map((answer) => row({ prompt, answer })));
  const graded = (item: Graded): number =>
    Math.max(
      row(item),
      bySteps ? linesOf(tokenizer, item).tokens.length : 0,
      asksAnswers ? problem(item) : 0,
    );
  const pair = ({ prompt, chosen, rejected, gold = chosen }: Pair): number =>
    sides(prompt, chosen, rejected, gold);
  return { row, problem, sides, graded, pair };
};

/** Items within the context; of those beyond it, how many there are and what they take. */
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
 * With the smallest context that would do. `asked`: the items are prompts, behind which an answer is to be
 * written.
 */
const nothingLeft = (
  message: string,
  { least, most }: Sieve,
  { source, maxTokens }: FittingOptions,
  asked: boolean,
): WhetstoneError => {
  const needed = least === most ? `${least} tokens` : `${least} tokens for the shortest, ${most} for all`;
  const longer =
    `${asked ? 'use' : 'Use'} a model with a longer context (${needed}), a tokenizer with longer tokens, ` +
    `or shorter ${asked ? 'prompts' : 'rows'}.`;
  const ofModel = source === 'new' ? 'models.policy.architecture.context' : 'models.policy';
  return new WhetstoneError('invalid-input', message, {
    where: asked ? 'sampling.maxTokens' : ofModel,
    hint: asked
      ? `Ask for answers shorter than ${maxTokens} tokens (sampling.maxTokens), or ${longer}`
      : longer,
  });
};

/**
 * Draws that are looked at for one that fits, where a world makes them without end; and how far apart these
 * lie.
 */
const TRIES = 64;
const APART = 1_000_003;

/** Endless draws without those that do not fit: another one stands in for each, the same in every run. */
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

/** What messages call the rows that a method trains on. */
const nouns: { readonly [K in TrainingRows]: string } = {
  examples: 'demonstrations',
  graded: 'graded answers',
  pairs: 'decided pairs',
  problems: 'prompts',
};

/**
 * The material without what the model cannot read, and how much that was. Throws `invalid-input` where
 * nothing is left to train on, or where no held-out problem is left of those that a policy is to be asked;
 * and for a row that cannot be spelled.
 */
export const fitting = (
  data: TaskData,
  options: FittingOptions,
): { material: TaskData; leftOut: LeftOut } => {
  const { trainsOn, context } = options;
  const leftOut = new LeftOut();
  const sizes = sizesOf(options);
  const asked = trainsOn === 'problems';
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
        `None of the ${count} ${nouns[trainsOn]} of ${data.name} fits the model, which reads ${context} tokens.`,
        sieve,
        options,
        asked,
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
  };
  return {
    material: { ...data, ...streams[trainsOn](), heldout: heldoutOf(data, options, leftOut) },
    leftOut,
  };
};

/**
 * Worked answers whose prompts leave room for an answer: what a method is guided by, beside its own prompts.
 */
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
    `the model reads ${options.context}.`;
  return redrawn(
    worked,
    keep,
    () => nothingLeft(message, sieve, options, true),
    () => undefined,
  );
};

/** What is held out and looked at, without what is too long. */
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
  // the graded answers of a file are those of its pairs, which are counted; a world makes both
  const own = (of: TrainingRows): boolean => trainsOn === of || world !== undefined;
  const isJudge = produces === 'reward';
  const sieve = new Sieve(context);
  const asked = problems.filter((problem) => sieve.fits(sizes.problem(problem)));
  leftOut.problems = sieve.left;
  if (problems.length > 0 && asked.length === 0) {
    const message =
      `None of the ${problems.length} held-out problems of ${name} leaves room for an answer of ` +
      `${maxTokens} tokens: the model reads ${context}.`;
    throw nothingLeft(message, sieve, options, true);
  }
  return {
    examples: trainsOn === 'examples' ? kept(heldout.examples, sizes.row, true) : heldout.examples,
    graded: isJudge ? kept(heldout.graded, sizes.graded, own('graded')) : heldout.graded,
    pairs:
      isJudge || trainsOn === 'pairs'
        ? kept(heldout.pairs, ({ prompt, a, b }) => sizes.sides(prompt, a, b), own('pairs'))
        : heldout.pairs,
    problems: asked,
  };
};
