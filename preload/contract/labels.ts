import * as z from 'zod';
import { DecisionDetails, ModeId, OptionChanges, SetOptions } from '../../engine/schema/labeling/index.ts';
import { Verdict } from '../../engine/schema/preference.ts';
import { before, call, done } from './define.ts';

const id = z.string().min(1);
const counts = z.record(z.string(), z.number());
const labeler = z.string().trim().min(1).max(80).default('me');

/** A decision by side, as the screen makes it; `answered`: in modes whose decision is a value. */
export const Choice = z.enum(['left', 'right', 'tie', 'both-bad', 'skip', 'answered']);
export type Choice = z.infer<typeof Choice>;

export const LabelSet = z.strictObject({
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
  /** Source of the pairs: `run:<id>` or `dataset:<id>`. */
  source: z.string(),
  pairs: z.number(),
  labeled: z.number(),
  decided: z.number(),
  /** Preference pairs that the decisions imply, in modes other than `pair`; only in lists of sets. */
  implied: z.number().optional(),
  mode: ModeId.optional(),
  options: SetOptions.optional(),
});
export type LabelSet = z.infer<typeof LabelSet>;

/**
 * An item to be labeled. Its answers are in the order in which they are shown, which is random and stored;
 * neither their origins nor their stored order reach the page. `before`: an earlier decision on it, if it is
 * shown again.
 */
export const PairShown = z.strictObject({
  pairId: z.string(),
  position: z.number(),
  prompt: z.string(),
  answers: z.array(z.string()),
  /** Offsets of the steps that the dataset has for the one answer, in UTF-16 code units. */
  steps: z.array(z.tuple([z.number(), z.number()])).optional(),
  before: z
    .strictObject({ choice: Choice, details: DecisionDetails, value: z.unknown().optional() })
    .optional(),
});
export type PairShown = z.infer<typeof PairShown>;

export const Decision = z.strictObject({
  pairId: z.string(),
  choice: Choice,
  at: z.number(),
  seconds: z.number().nullable(),
  labeler: z.string(),
});
export type Decision = z.infer<typeof Decision>;

/** A decision in the review of a set. */
export const Reviewed = Decision.extend({
  sequence: z.number(),
  position: z.number(),
  prompt: z.string(),
  answers: z.array(z.string()),
  details: DecisionDetails,
  value: z.unknown().optional(),
  /**
   * The judge's probability that the first answer shown is better, by a head that did not learn from the
   * pair's prompt; absent until a fit after the decision, and while other labelers still want the pair.
   */
  judge: z.number().optional(),
  /** The labeler's decision on the repeat of the item; the known verdict; the adjudication. */
  again: Choice.optional(),
  gold: Choice.optional(),
  adjudicated: z.strictObject({ choice: Choice, labeler: z.string() }).optional(),
});
export type Reviewed = z.infer<typeof Reviewed>;

export const ReviewFilter = z.strictObject({
  choice: Choice.optional(),
  strength: z.int().min(1).max(3).optional(),
  reason: z.string().max(60).optional(),
  flag: z.string().max(60).optional(),
  labeler: z.string().max(80).optional(),
  /** Words in the prompt, an answer or the critique. */
  text: z.string().max(200).optional(),
  /** Times in milliseconds, the first inclusive. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Only decisions with which the judge disagrees, those of which it is surest first. */
  disagrees: z.literal(true).optional(),
  /**
   * Items on which labelers disagree, that several decided, that were adjudicated; decisions other than the
   * verdict that counts; repeated ones, and those decided otherwise the second time; items with gold, and
   * decisions other than gold.
   */
  about: z
    .enum(['disputed', 'shared', 'adjudicated', 'overruled', 'repeated', 'changed', 'gold', 'gold-missed'])
    .optional(),
  /** Items that this labeler decided too. */
  with: z.string().max(80).optional(),
});
export type ReviewFilter = z.infer<typeof ReviewFilter>;

export const Progress = z.strictObject({
  pairs: z.number(),
  labeled: z.number(),
  /** Items labeled by the requested labeler; of a set with overlap, `labeled` is the same. */
  mine: z.number().optional(),
  perMinute: z.number().nullable(),
  leftShare: z.number().nullable(),
});
export type Progress = z.infer<typeof Progress>;

/**
 * What the pairs of a set require of a model: the bytes that nearly all need (prompt and answer), and which
 * checkpoints can read them.
 */
export const LabelReading = z.strictObject({ bytes: z.number(), readable: z.array(z.string()) });
export type LabelReading = z.infer<typeof LabelReading>;

export const labels = {
  /** The newest 1,000; with `before`, the id of a set, the 1,000 that precede it. */
  sets: call(z.strictObject({ before }), z.array(LabelSet)),
  /**
   * Pairs answers to the same prompt, from a run's samples or from a dataset. `pairsPerPrompt` limits the
   * pairs of a prompt.
   */
  createSet: call(
    z.strictObject({
      name: z.string().max(200).default(''),
      from: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('run'), runId: id }),
        z.strictObject({ kind: z.literal('dataset'), datasetId: id }),
      ]),
      pairsPerPrompt: z.int().min(1).max(100).default(4),
      /** Only pairs of one right and one wrong answer. */
      onlyDiffering: z.boolean().default(false),
      seed: z.int().min(0).default(0),
      mode: ModeId.optional(),
      /** Answers of an item, in modes that show several; 4 if absent. */
      answersPerItem: z.int().min(2).max(9).optional(),
      options: OptionChanges.optional(),
    }),
    LabelSet,
  ),
  set: call(z.strictObject({ id }), LabelSet),
  /** Changes some options of a set. */
  setOptions: call(z.strictObject({ id, options: OptionChanges }), LabelSet),
  /** Number of current decisions that use each name of an option; `ratings`: by their highest rating. */
  optionUsage: call(
    z.strictObject({ setId: id }),
    z.strictObject({
      reasons: counts,
      flags: counts,
      attributes: counts,
      spanLabels: counts,
      ratings: counts,
      /** Decisions with the strength “much better”. */
      much: z.number(),
    }),
  ),
  /** The labelers of a set, with the number of items that each has labeled. */
  labelers: call(
    z.strictObject({ setId: id }),
    z.array(z.strictObject({ labeler: z.string(), labeled: z.number() })),
  ),
  renameSet: call(z.strictObject({ id, name: z.string().min(1).max(200) }), done),
  removeSet: call(z.strictObject({ id }), done),
  /**
   * The next unlabeled pairs, in order; the page prefetches a few so that a key press shows the next one
   * within a frame.
   */
  queue: call(
    z.strictObject({
      setId: id,
      after: z.array(z.string()).max(1000).default([]).describe('Pairs that the page already holds.'),
      count: z.int().min(1).max(50).default(5),
      labeler,
    }),
    z.array(PairShown),
  ),
  pair: call(z.strictObject({ pairId: id, labeler }), PairShown),
  /**
   * Resolves once the label is on disk. A second decision on the same pair is a correction: both stay in the
   * log.
   */
  decide: call(
    z.strictObject({
      pairId: id,
      /** A side of the screen, a stored answer (for programs), or a verdict about both. */
      verdict: z.union([Verdict, Choice]),
      seconds: z.number().min(0).nullable().default(null),
      labeler,
      rationale: z.string().max(4000).default(''),
      details: DecisionDetails.default({}),
      /** The content of an `answered` decision, as the mode of the set defines it. */
      value: z.unknown().optional(),
    }),
    Progress,
  ),
  /**
   * Undoes the labeler's newest decision of the set (stored as an event); returns the pair, or null if there
   * is none.
   */
  undo: call(z.strictObject({ setId: id, labeler }), PairShown.nullable()),
  /** Repeats the decision that the labeler undid last; null if another decision was made since. */
  redo: call(z.strictObject({ setId: id, labeler }), Decision.nullable()),
  /** The reference answer of an item; null if none is stored. The page stores with the decision that it was seen. */
  reference: call(z.strictObject({ pairId: id }), z.strictObject({ reference: z.string().nullable() })),
  recent: call(
    z.strictObject({ setId: id, count: z.int().min(1).max(100).default(5), labeler: labeler.optional() }),
    z.array(Decision),
  ),
  /**
   * The current decisions of a set, newest first; `before`: the `sequence` of the last one of a page. `as`: the
   * labeler who reads them. Decisions on items that the set still wants this labeler to decide are left out then,
   * since they would make the labeler's decision depend on others'; `hidden` counts them.
   */
  review: call(
    z.strictObject({
      setId: id,
      as: z.string().min(1).max(80).optional(),
      filter: ReviewFilter.default({}),
      before: z.number().nullable().default(null),
      limit: z.int().min(1).max(200).default(50),
    }),
    z.strictObject({ total: z.number(), hidden: z.number(), decisions: z.array(Reviewed) }),
  ),
  history: call(
    z.strictObject({ pairId: id }),
    z.array(
      z.strictObject({
        event: z.enum(['label', 'correction', 'undo']),
        verdict: Verdict.nullable(),
        at: z.number(),
        labeler: z.string(),
        /** A decision on a repeat, or an adjudication; absent for a label. */
        role: z.enum(['repeat', 'adjudication']).optional(),
      }),
    ),
  ),
  progress: call(z.strictObject({ setId: id, labeler }), Progress),
  /**
   * Decisions of a program. All are checked before the first is stored; they are stored 250 at a time. They
   * name stored answers, not sides, since a program has no screen.
   */
  decideMany: call(
    z.strictObject({
      labeler: z.string().min(1).max(80),
      decisions: z.array(z.strictObject({ pairId: id, verdict: Verdict })).max(100_000),
    }),
    Progress,
  ),
  /**
   * The pairs with their current verdicts, for export and programs. Returns fewer than requested if texts are
   * long.
   */
  pairs: call(
    z.strictObject({
      setId: id,
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(20_000).default(1000),
    }),
    z.strictObject({
      total: z.number(),
      pairs: z.array(
        z.strictObject({
          pairId: z.string(),
          promptId: z.string(),
          prompt: z.string(),
          a: z.string(),
          b: z.string(),
          correctA: z.boolean().nullable(),
          correctB: z.boolean().nullable(),
          verdict: Verdict.nullable(),
          /** Probability that the verdict is right, and strength, where they are known. */
          weight: z.number().optional(),
          strength: z.number().optional(),
        }),
      ),
    }),
  ),
  /**
   * Which of some checkpoints can encode the set's texts and have room for nearly all of its pairs, and how
   * much room that is.
   */
  reading: call(z.strictObject({ setId: id, checkpointIds: z.array(id).max(32).default([]) }), LabelReading),
  /** Writes the set's labels as JSON lines to a file. */
  export: call(
    z.strictObject({ setId: id, path: z.string().min(1) }),
    z.strictObject({ path: z.string(), rows: z.number() }),
  ),
};
