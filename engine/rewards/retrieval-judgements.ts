import * as z from 'zod';
import { judgementOf } from '../common/retrieval.ts';
import { partsOf } from './combine.ts';
import { defineReward, turnCount } from './reward.ts';

/**
 * Judgements of retrieved documents (ReSeek, arXiv:2510.00568): a turn `keep` or `drop` behind a document
 * earns 1 ⁄ n if it is right and −penalty ⁄ n if it is wrong, for n documents in the answer, so that more
 * searches earn no more. Right is `keep` for a document with every word of the prompt (of three or more
 * characters), `drop` for any other. A document without a judgement earns nothing.
 */
export const retrievalJudgements = defineReward({
  id: 'retrieval-judgements',
  title: 'Judgements of documents',
  summary:
    'How well an agent that searches judges its documents, `keep` or `drop`, in the turn behind each one; ' +
    'credit goes to that turn.',
  params: z.strictObject({
    penalty: z.number().min(0).max(10).default(1).describe('Cost of a wrong judgement; a right one earns 1.'),
  }),
  scorer:
    ({ penalty }) =>
    (rows) => {
      const earned = rows.map((row) => {
        const turns = new Float64Array(turnCount(row));
        const documents = judgementOf(row.prompt, row.completion);
        for (const { turn, isUseful, kept } of documents)
          if (kept !== null) turns[turn + 1] += (kept === isUseful ? 1 : -penalty) / documents.length;
        return turns;
      });
      return {
        value: Float64Array.from(earned, (turns) => turns.reduce((sum, part) => sum + part, 0)),
        turns: partsOf(earned),
      };
    },
});
