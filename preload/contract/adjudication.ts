import * as z from 'zod';
import { call } from './define.ts';
import { Decision, labels, PairShown, Progress } from './labels.ts';

const id = z.string().min(1);
const labeler = z.string().trim().min(1).max(80).default('me');

/**
 * Decisions that settle disputes, by an adjudicator who sees the items like a labeler. They are events of
 * their own: final until undone, and no labels of the adjudicator.
 */
export const adjudication = {
  /** The next items on which labelers disagree, without an adjudication. */
  queue: call(
    z.strictObject({
      setId: id,
      after: z.array(z.string()).max(1000).default([]).describe('Items that the page already holds.'),
      count: z.int().min(1).max(50).default(5),
      labeler,
    }),
    z.array(PairShown),
  ),
  pair: call(z.strictObject({ pairId: id, labeler }), PairShown),
  decide: call(labels.decide.input, Progress),
  undo: call(z.strictObject({ setId: id, labeler }), PairShown.nullable()),
  redo: call(z.strictObject({ setId: id, labeler }), Decision.nullable()),
  recent: call(
    z.strictObject({ setId: id, count: z.int().min(1).max(100).default(5), labeler: labeler.optional() }),
    z.array(Decision),
  ),
  /** `pairs`: disputed items; `labeled`: those that are settled. */
  progress: call(z.strictObject({ setId: id, labeler }), Progress),
};
