import { rowOf, offsetsFor, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { verdictRows } from '../context/write-verdict.ts';
import { stepsOf } from '../math/steps.ts';

export interface SelfVerdict {
  /** What is judged: every line, which counts as a step, or the whole answer. */
  readonly judges: 'steps' | 'answer';
  /** Text behind what is judged, and the two verdicts that may follow it. */
  readonly question: string;
  readonly right: string;
  readonly wrong: string;
}

/**
 * The policy's own verdict on each of its answers, `reward/self-verdict` (Self-PRM, arXiv:2505.11227): it reads
 * the problem with the answer up to the end of a line and a question; the line is right if the verdict for it is
 * at least as likely as the one against it. The score is the share of lines that are right, or 0 and 1 for a
 * whole answer; 0 without a token.
 */
export const selfVerdict = ({ judges, question, right, wrong }: SelfVerdict) =>
  stage({
    id: `selfVerdict(${judges}, ${question}, ${right}, ${wrong})`,
    station: 'reference',
    needs: ['tokens', 'mask', 'model/initial'],
    adds: [],
    run: async ({ tokens, mask, 'model/initial': judge }, { text }) => {
      const rows = mask.offsets.length - 1;
      const parts = Array.from({ length: rows }, (_, r) => {
        const row = rowOf(tokens, r);
        const breaks = (t: number) => text.decode([row[t]]).includes('\n');
        const lines = stepsOf(rowOf(mask, r), breaks, 'line');
        const ends = judges === 'steps' ? lines : lines.slice(-1);
        return ends.map(([, last]) => row.subarray(0, last + 1));
      });
      const judged = parts.flat();
      const logpOf = async (verdict: string) => {
        const asked = judged.map((answer) => ({ answer, verdict: `${question}${verdict}` }));
        const written = verdictRows(asked, text, text.context);
        return maskedSums(await judge.logp(written.tokens, written.mask), written.mask);
      };
      const [yes, no] = [await logpOf(right), await logpOf(wrong)];
      const offsets = offsetsFor(parts.map(({ length }) => length));
      const scores = Float64Array.from(parts, ({ length }, r) => {
        let found = 0;
        for (let at = offsets[r]; at < offsets[r + 1]; at++) found += Number(yes[at] >= no[at]);
        return length === 0 ? 0 : found / length;
      });
      return { columns: {}, raw: { 'self-verdict': scores } };
    },
  });
