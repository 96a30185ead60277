import * as z from 'zod';
import { defineOperator } from './operator.ts';

export const correct = defineOperator({
  id: 'correct',
  title: 'Correct',
  summary: 'Answers that a verifier found right, or those it found wrong.',
  params: z.strictObject({ is: z.boolean().default(true) }),
  needs: () => ['correct'],
  apply: (rows, { is }) => rows.filter((row) => row.correct === is),
});
