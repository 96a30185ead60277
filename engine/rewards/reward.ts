import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { splitTranscript } from '../common/transcript.ts';
import type { JsonSchema, RewardInfo } from '../schema/method-info.ts';
import type { RewardFault } from '../schema/results.ts';
import type { World } from '../worlds/world.ts';
import type { Combination, Parts } from './combine.ts';

/** One answer to be scored. Lengths count completion tokens, the end token included. */
export interface AnswerRow {
  readonly promptId: string;
  readonly prompt: string;
  readonly completion: string;
  /** The expected answer, if the task has one. */
  readonly reference?: string | null;
  /**
   * Answers with the same number are samples for one prompt, to be compared; absent if answers are
   * independent.
   */
  readonly group?: number;
  readonly tokens: number;
  readonly stopReason: 'end' | 'length';
}

/**
 * A model that scores text, opened from a checkpoint; one score per row. `how` combines its labels, or its
 * steps; by default the model's own combination. `condition` precedes every prompt.
 */
export interface TextScorer {
  score(rows: readonly AnswerRow[], how?: Combination, condition?: string): Promise<Float64Array>;
  /**
   * Linear fit of its score on held-out answers (score ≈ intercept + slope · tokens); absent if it was never
   * inspected.
   */
  readonly lengthFit?: { readonly intercept: number; readonly slope: number };
  /**
   * The distinct characters of an answer outside its alphabet; it skips them. Absent if it encodes
   * everything.
   */
  unread?(completion: string): string;
  /**
   * Tokens of a prompt and the readable part of its answer, and the context; the excess is cut. Throws
   * `invalid-input` for a prompt that cannot be encoded.
   */
  room?(row: Pick<AnswerRow, 'prompt' | 'completion'>): { readonly tokens: number; readonly context: number };
}

/**
 * A policy as a scorer: an answer's log-probability, and the contribution of each line (`\n` ends a line; an
 * answer has one line more than breaks).
 */
export interface Likelihood extends TextScorer {
  lines(rows: readonly AnswerRow[]): Promise<Parts>;
}

/** The run's initial model for rewards. It never changes, so a resumed run uses the same one. */
export interface InitialModel {
  /** R × D: the final hidden state of each answer's last token. */
  features(rows: readonly AnswerRow[]): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /**
   * `count` sampled answers to each row's prompt, row by row; the same for the same prompt throughout the
   * run.
   */
  answers(rows: readonly AnswerRow[], count: number): Promise<readonly AnswerRow[]>;
}

/** Dependencies of a reward. A run opens a reward only with everything that it `needs`. */
export type RewardNeed = 'world' | 'checkpoint' | 'policy' | 'initial' | 'reference';
export interface RewardContext {
  readonly world?: World;
  /** True if the task's problems have expected answers. */
  readonly reference?: true;
  /** The run's initial model. */
  readonly initial?: InitialModel;
  /** Opens a nested reward, for one that corrects or combines others. */
  readonly open?: (id: string, params: unknown) => Promise<Scorer>;
  /** Opens a reward model's checkpoint of the run's resources as a scorer. */
  readonly checkpoint?: (checkpointId: string) => Promise<TextScorer>;
  /**
   * Opens a policy's checkpoint: the score of an answer is its log-probability at temperature 1, end token
   * included, in nats.
   */
  readonly policy?: (checkpointId: string) => Promise<Likelihood>;
  /** The path of this reward in the run's specification. */
  readonly where?: string;
  /**
   * True if the run is only rehearsed to measure its cost: answers are synthetic, and errors caused by them
   * are ignored.
   */
  readonly rehearsal?: boolean;
  /** Receives every answer that a scorer could not score. */
  readonly report?: (faults: readonly RewardFault[]) => void;
}

/** A row that a scorer could not score, and its resulting value. */
export interface RowFault {
  readonly row: number;
  readonly kind: string;
  readonly message: string;
}
/** The context of a reward with these needs, all present. */
export type ContextFor<N extends RewardNeed> = RewardContext & {
  readonly [K in N]-?: NonNullable<RewardContext[K]>;
};

/** An opened reward. Raw values, one per row (axis R), finite; the stack applies weights and sums. */
export interface Scorer {
  readonly id: string;
  /** True if a row's score depends on the other rows of its group, or on earlier batches. */
  readonly compares: boolean;
  score(rows: readonly AnswerRow[]): Promise<Float64Array>;
  /** State learned from the batches so far, as plain data: saved with every checkpoint. */
  state?(): unknown;
  restore?(state: unknown): void;
  /** The same, with the value before a correction (a debiased score's raw one), if there is one. */
  detail(rows: readonly AnswerRow[]): Promise<Scores>;
}
/**
 * `lines`: contribution of each line of an answer to its value, if the scorer can compute it; they sum to
 * the value. `turns`: the same for each turn of a transcript, by a scorer that knows them; one or the other.
 * `faults`: from a scorer that can fail on a row; such a row still has a value.
 */
export interface Scores {
  readonly value: Float64Array;
  readonly raw?: Float64Array;
  readonly lines?: Parts;
  readonly turns?: Parts;
  readonly faults?: readonly RowFault[];
}

/** A nested reward; `path` leads from the outer reward's parameters to it. */
export interface InnerReward {
  readonly path: string;
  readonly id: string;
  readonly params: { readonly [name: string]: unknown };
}

/** A reward as listed in catalogues and forms. */
export interface Reward {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly needs: readonly RewardNeed[];
  /** True if a row's score depends on the other rows of its group, or on earlier batches. */
  readonly compares: boolean;
  readonly info: RewardInfo;
  /** Nested rewards of checked parameters, with the path to each. */
  inner(params: object): readonly InnerReward[];
  /** Throws `invalid-input` for invalid parameters, `unsupported` if the context lacks a need. */
  open(params: unknown, context: RewardContext): Promise<Scorer>;
  /**
   * For a verifier with references: the reason why one is unusable, as the end of "The reference …"; null if
   * it is usable.
   */
  readonly complains?: (params: unknown, reference: string) => string | null;
}

/**
 * Defines a reward. `scorer` may be asynchronous (a model is loaded); the function it returns is called once
 * per batch.
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
        if (scores.lines) checkedParts(id, rows, scores.lines, { are: 'lines', countOf: lineCount });
        if (scores.turns) checkedParts(id, rows, scores.turns, { are: 'turns', countOf: turnCount });
        return scores;
      };
      return { id, compares, detail, score: async (rows) => (await detail(rows)).value, ...memory };
    },
  };
};

/** A scorer that learns from earlier batches; `state` is plain data. */
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

/** Number of lines of an answer. */
export const lineCount = ({ completion }: Pick<AnswerRow, 'completion'>): number =>
  completion.split('\n').length;

/** Number of turns of a transcript; an answer without replies is one. */
export const turnCount = ({ completion }: Pick<AnswerRow, 'completion'>): number =>
  splitTranscript(completion).turns.length;

const checkedParts = (
  id: string,
  rows: readonly AnswerRow[],
  { offsets }: Parts,
  { are, countOf }: { readonly are: string; readonly countOf: (row: AnswerRow) => number },
): void => {
  const at = rows.findIndex((row, r) => offsets[r + 1] - offsets[r] !== countOf(row));
  if (at >= 0)
    throw new WhetstoneError(
      'internal',
      `Reward "${id}" gave ${offsets[at + 1] - offsets[at]} ${are} for row ${at}, which has ${countOf(rows[at])}.`,
    );
};
