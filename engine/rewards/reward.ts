import { z } from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import type { JsonSchema, RewardInfo } from '../schema/method-info.ts';
import type { RewardFault } from '../schema/results.ts';
import type { World } from '../worlds/world.ts';
import type { Combination, Parts } from './combine.ts';

/** One answer to be scored. Lengths count completion tokens, the end mark included. */
export interface AnswerRow {
  readonly promptId: string;
  readonly prompt: string;
  readonly completion: string;
  /** The expected answer, where the task has one. */
  readonly reference?: string | null;
  /**
   * Answers with the same number are attempts at one prompt, to be compared; absent where each stands alone.
   */
  readonly group?: number;
  readonly tokens: number;
  readonly stopReason: 'end' | 'length';
}

/**
 * A model that scores text, opened from a checkpoint; one score a row. `how` its labels, or its steps, become
 * one: its own way where absent.
 */
export interface TextScorer {
  score(rows: readonly AnswerRow[], how?: Combination): Promise<Float64Array>;
  /**
   * How its score rose with length on held-out answers (score ≈ intercept + slope · tokens); absent where it
   * was never inspected.
   */
  readonly lengthFit?: { readonly intercept: number; readonly slope: number };
  /**
   * The characters of an answer that its alphabet lacks, each once: it reads the rest. Absent where it spells
   * everything.
   */
  unread?(completion: string): string;
  /**
   * Tokens that a prompt and what is read of its answer take, and how many the model reads: what exceeds them
   * is cut. Throws `invalid-input` for a prompt that cannot be spelled.
   */
  room?(row: Pick<AnswerRow, 'prompt' | 'completion'>): { readonly tokens: number; readonly context: number };
}

/**
 * A policy as a scorer: an answer's log-probability, and what each of its lines adds to it (`\n` ends a line;
 * an answer has one line more than breaks).
 */
export interface Likelihood extends TextScorer {
  lines(rows: readonly AnswerRow[]): Promise<Parts>;
}

/**
 * The run's initial model, as a reward may ask it: it never changes, so a run that is resumed asks the same
 * one.
 */
export interface InitialModel {
  /** R × D: the final hidden state of each answer's last token. */
  features(rows: readonly AnswerRow[]): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /**
   * Answers of its own to each row's prompt, `count` for each, row by row; the same for the same prompt in
   * the whole run.
   */
  answers(rows: readonly AnswerRow[], count: number): Promise<readonly AnswerRow[]>;
}

/** What a reward may ask for. A run opens a reward only with everything that it `needs`. */
export type RewardNeed = 'world' | 'checkpoint' | 'policy' | 'initial' | 'reference';
export interface RewardContext {
  readonly world?: World;
  /** Whether the task's problems have expected answers. */
  readonly reference?: true;
  /** The model that the run began with. */
  readonly initial?: InitialModel;
  /** Opens another reward: for one that corrects or combines others. */
  readonly open?: (id: string, params: unknown) => Promise<Scorer>;
  /** Opens a reward model's checkpoint of the run's resources as a scorer. */
  readonly checkpoint?: (checkpointId: string) => Promise<TextScorer>;
  /**
   * Opens a policy's checkpoint: the score of an answer is its log-probability at temperature 1, end mark
   * included, in nats.
   */
  readonly policy?: (checkpointId: string) => Promise<Likelihood>;
  /** The path of this reward in the run's specification. */
  readonly where?: string;
  /** A run is only measured: its answers are made up, and nothing fails because of them. */
  readonly rehearsal?: boolean;
  /** Hears of every answer that a scorer could not score. */
  readonly report?: (faults: readonly RewardFault[]) => void;
}

/** A row that a scorer could not score, and what became of it. */
export interface RowFault {
  readonly row: number;
  readonly kind: string;
  readonly message: string;
}
/** The context of a reward with these needs: what it asked for is there. */
export type ContextFor<N extends RewardNeed> = RewardContext & {
  readonly [K in N]-?: NonNullable<RewardContext[K]>;
};

/**
 * A reward ready to score. Raw values, one a row (axis R), finite; weights and sums are the stack's business.
 */
export interface Scorer {
  readonly id: string;
  /** Whether a row's score depends on the other rows of its group, or on earlier batches. */
  readonly compares: boolean;
  score(rows: readonly AnswerRow[]): Promise<Float64Array>;
  /** What it has learned from the batches so far, as plain data: saved with every checkpoint. */
  state?(): unknown;
  restore?(state: unknown): void;
  /**
   * The same, with what the value was before a correction (a debiased score's raw one), where there is one.
   */
  detail(rows: readonly AnswerRow[]): Promise<Scores>;
}
/**
 * `lines`: what each line of an answer adds to its value, where the scorer can tell; they sum to it.
 * `faults`: given by a scorer that can fail on a row; such a row has a value all the same.
 */
export interface Scores {
  readonly value: Float64Array;
  readonly raw?: Float64Array;
  readonly lines?: Parts;
  readonly faults?: readonly RowFault[];
}

/** A reward inside another one's parameters; `path` leads to it from there. */
export interface InnerReward {
  readonly path: string;
  readonly id: string;
  readonly params: { readonly [name: string]: unknown };
}

/** A reward as lists and forms see it. */
export interface Reward {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly needs: readonly RewardNeed[];
  /** Whether a row's score depends on the other rows of its group, or on earlier batches. */
  readonly compares: boolean;
  readonly info: RewardInfo;
  /** Rewards that checked parameters name, with the path to each. */
  inner(params: object): readonly InnerReward[];
  /** Throws `invalid-input` for parameters that do not fit, `unsupported` where the context lacks a need. */
  open(params: unknown, context: RewardContext): Promise<Scorer>;
  /**
   * Of a verifier by references: what is wrong with one, as the end of "The reference …"; null where it can
   * be used.
   */
  readonly complains?: (params: unknown, reference: string) => string | null;
}

/**
 * Registers a reward. `scorer` may be asynchronous (a model is loaded); the function that it gives is called
 * once a batch.
 */
export const defineReward = <P extends z.ZodObject, const N extends RewardNeed = never>(definition: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: P;
  readonly needs?: readonly N[];
  readonly compares?: boolean;
  readonly inner?: (params: z.output<P>) => readonly InnerReward[];
  readonly scorer: (
    params: z.output<P>,
    context: ContextFor<N>,
  ) => ScoreRows | Learned | Promise<ScoreRows | Learned>;
}): Reward => {
  const { id, title, summary, params, needs = [], compares = false, inner = () => [] } = definition;
  return {
    id,
    title,
    summary,
    params,
    needs,
    compares,
    inner: (checked) => inner(checked as z.output<P>),
    info: { id, title, summary, needs, params: z.toJSONSchema(params, { io: 'input' }) as JsonSchema },
    open: async (given, context) => {
      const parsed = params.safeParse(given ?? {});
      if (!parsed.success) {
        throw new WhetstoneError(
          'invalid-input',
          `The parameters of reward "${id}" do not fit: ${z.prettifyError(parsed.error)}`,
          { where: `rewards: ${id}` },
        );
      }
      for (const need of needs) {
        if (context[need] === undefined) {
          throw new WhetstoneError('unsupported', `Reward "${id}" needs a ${need}, and this run has none.`, {
            where: `rewards: ${id}`,
            hint: hints[need],
          });
        }
      }
      const opened = await definition.scorer(parsed.data, context as ContextFor<N>);
      const { score: scoreRows, ...memory }: Learned =
        typeof opened === 'function' ? { score: opened } : opened;
      const detail = async (rows: readonly AnswerRow[]): Promise<Scores> => {
        const made = await scoreRows(rows);
        const scores = made instanceof Float64Array ? { value: made } : made;
        checked(id, rows.length, scores.value);
        if (scores.lines) checkedLines(id, rows, scores.lines);
        return scores;
      };
      return { id, compares, detail, score: async (rows) => (await detail(rows)).value, ...memory };
    },
  };
};

/** A scorer that remembers earlier batches; `state` is plain data. */
export interface Learned {
  readonly score: ScoreRows;
  state?(): unknown;
  restore?(state: unknown): void;
}

export type ScoreRows = (
  rows: readonly AnswerRow[],
) => Float64Array | Scores | Promise<Float64Array | Scores>;

const hints: Record<RewardNeed, string> = {
  world: 'Choose a world as the task, or name one for the evaluation.',
  checkpoint: 'Choose a reward model whose checkpoint is in this workspace.',
  reference: 'Choose a dataset with a column of references, or a world.',
  policy: 'Choose policies whose checkpoints are in this workspace.',
  initial: 'Use it in a run that writes answers.',
};

const checked = (id: string, rows: number, scores_R: Float64Array): Float64Array => {
  if (scores_R.length !== rows)
    throw new WhetstoneError('internal', `Reward "${id}" gave ${scores_R.length} scores for ${rows} rows.`);
  const at = scores_R.findIndex((score) => !Number.isFinite(score));
  if (at >= 0)
    throw new WhetstoneError('numeric', `Reward "${id}" gave ${scores_R[at]} for row ${at}.`, {
      where: `rewards: ${id}`,
    });
  return scores_R;
};

/** How many lines an answer has. */
export const lineCount = ({ completion }: Pick<AnswerRow, 'completion'>): number =>
  completion.split('\n').length;

const checkedLines = (id: string, rows: readonly AnswerRow[], { offsets }: Parts): void => {
  const at = rows.findIndex((row, r) => offsets[r + 1] - offsets[r] !== lineCount(row));
  if (at >= 0)
    throw new WhetstoneError(
      'internal',
      `Reward "${id}" gave ${offsets[at + 1] - offsets[at]} lines for row ${at}, which has ${lineCount(rows[at])}.`,
    );
};
