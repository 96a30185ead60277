import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Training texts of textual interactions (LeTI, arXiv:2305.10314, section 2): a mark of good or bad, the
 * prompt, the answer, and behind a bad answer what the verifier says. Answer and feedback are trained. A good
 * answer with an empty mark is what a plain prompt asks for. Without room, the feedback is cut, then the
 * answer.
 */
export const appendFeedback = ({
  good,
  bad,
  threshold,
}: {
  readonly good: string;
  readonly bad: string;
  readonly threshold: number;
}) =>
  stage({
    id: `appendFeedback(${good}, ${bad}, ${threshold})`,
    station: 'context',
    needs: ['tokens', 'mask', 'problem', 'completion', 'reward/total'],
    adds: ['tokens', 'mask'],
    run: async ({ tokens, mask, problem, completion, 'reward/total': rewards_R }, { text, reasons }) => {
      const said = await reasons(problem.map(({ prompt }, r) => ({ prompt, completion: completion[r] })));
      const made = problem.map((_, r) => {
        const isGood = rewards_R[r] >= threshold;
        const mark = text.encode(isGood ? good : bad);
        const feedback = isGood || said[r] === '' ? [] : [...text.encode(said[r]), text.end];
        const whole = [...mark, ...rowOf(tokens, r), ...feedback];
        const trained = [...mark.map(() => 0), ...rowOf(mask, r), ...feedback.map(() => 1)];
        return { tokens: whole.slice(0, text.context), mask: trained.slice(0, text.context) };
      });
      return {
        columns: {
          tokens: ragged(made, Int32Array, (row) => row.tokens),
          mask: ragged(made, Uint8Array, (row) => row.mask),
        },
      };
    },
  });
