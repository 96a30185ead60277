import * as z from 'zod';
import { byPrompt, defineOperator, partField, voteOf } from './operator.ts';

/** Of equal answers to a prompt the first; answers without the compared part are distinct. */
export const distinct = defineOperator({
  id: 'distinct',
  title: 'Distinct',
  summary: 'Equal answers to a prompt once.',
  params: z.strictObject({ part: partField }),
  apply: (rows, { part }) => {
    const kept = new Set(
      [...byPrompt(rows).values()].flatMap((own) => {
        const seen = new Set<string>();
        return own.filter((row) => {
          const vote = voteOf(row, part);
          if (vote !== null && seen.has(vote)) return false;
          if (vote !== null) seen.add(vote);
          return true;
        });
      }),
    );
    return rows.filter((row) => kept.has(row));
  },
});
