import type { Preference } from '../schema/preference.ts';
import type { DataRow } from './doctor.ts';
import { hashFraction } from '../random/hash.ts';

/**
 * Pairs every right answer with every wrong answer to the same prompt, in the order of the rows. A hash of
 * the pair, keyed by `seed`, decides which is `a`, so that position is independent of correctness. `pairId`
 * is made from the two rows' numbers.
 */
export function* correctnessPairs(rows: Iterable<DataRow>, seed = 0): Generator<Preference> {
  for (const [promptId, answers] of Map.groupBy(rows, (row) => row.promptId)) {
    for (const right of answers.filter((row) => row.correct === true)) {
      for (const wrong of answers.filter((row) => row.correct === false && row.answer !== right.answer)) {
        const rightIsA = hashFraction('side', String(seed), promptId, right.answer, wrong.answer) < 0.5;
        const [a, b] = rightIsA ? [right, wrong] : [wrong, right];
        yield {
          pairId: `${right.row}-${wrong.row}`,
          promptId,
          prompt: right.prompt,
          a: a.answer,
          b: b.answer,
          verdict: rightIsA ? 'a' : 'b',
          correctA: a.correct,
          correctB: b.correct,
        };
      }
    }
  }
}
