import { z } from 'zod';
import { Verdict } from '../../engine/schema/preference.ts';
import { before, call, done } from './define.ts';

const id = z.string().min(1);

export const LabelSet = z.strictObject({
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
  /** Source of the pairs: `run:<id>` or `dataset:<id>`. */
  source: z.string(),
  pairs: z.number(),
  labeled: z.number(),
  decided: z.number(),
});
export type LabelSet = z.infer<typeof LabelSet>;

/**
 * A pair to be labeled, without the answers' origins; `leftIs` is the answer on the left side of the screen,
 * drawn at random and stored.
 */
export const PairShown = z.strictObject({
  pairId: z.string(),
  position: z.number(),
  prompt: z.string(),
  a: z.string(),
  b: z.string(),
  leftIs: z.enum(['a', 'b']),
});
export type PairShown = z.infer<typeof PairShown>;

export const Decision = z.strictObject({
  pairId: z.string(),
  verdict: Verdict,
  leftIs: z.enum(['a', 'b']),
  at: z.number(),
  seconds: z.number().nullable(),
  labeler: z.string(),
});
export type Decision = z.infer<typeof Decision>;

export const Progress = z.strictObject({
  pairs: z.number(),
  labeled: z.number(),
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
    }),
    LabelSet,
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
    }),
    z.array(PairShown),
  ),
  pair: call(z.strictObject({ pairId: id }), PairShown),
  /**
   * Resolves once the label is on disk. A second decision on the same pair is a correction: both stay in the
   * log.
   */
  decide: call(
    z.strictObject({
      pairId: id,
      verdict: Verdict,
      seconds: z.number().min(0).nullable().default(null),
      labeler: z.string().min(1).max(80).default('me'),
      rationale: z.string().max(4000).default(''),
    }),
    Progress,
  ),
  /**
   * Undoes the labeler's newest decision of the set (stored as an event); returns the pair, or null if there
   * is none.
   */
  undo: call(
    z.strictObject({ setId: id, labeler: z.string().min(1).max(80).default('me') }),
    PairShown.nullable(),
  ),
  recent: call(z.strictObject({ setId: id, count: z.int().min(1).max(100).default(5) }), z.array(Decision)),
  history: call(
    z.strictObject({ pairId: id }),
    z.array(
      z.strictObject({
        event: z.enum(['label', 'correction', 'undo']),
        verdict: Verdict.nullable(),
        at: z.number(),
        labeler: z.string(),
      }),
    ),
  ),
  progress: call(z.strictObject({ setId: id }), Progress),
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
