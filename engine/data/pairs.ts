import type { Preference } from '../schema/preference.ts';
import type { DataRow } from './doctor.ts';
import { hashFraction } from '../random/hash.ts';

/**
 * Every right answer with every wrong answer to the same prompt, in the order of the rows. Which of the two
 * is `a` is drawn by a hash of the pair, keyed by `seed`, so that position says nothing about being right.
 * `pairId` is made of the two rows' numbers.
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
