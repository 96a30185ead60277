/** The curve of a test-time search as text: pages and the command line say the same. */
import type { SearchCurve, SearchStrategy } from '../../engine/schema/search.ts';
import { delta, rate, withInterval } from './numbers.ts';

/**
 * Heads of the table of a curve: a strategy, its accuracy at each n, and its gain over the majority at the
 * last.
 */
export const searchHead = ({ strategies }: SearchCurve): readonly string[] => [
  'strategy',
  ...(strategies[0]?.points ?? []).map(({ n, tokens }) => `n = ${n} (${Math.round(tokens)} tokens)`),
  strategies.some(({ id }) => id === 'best-so-far') ? 'minus first round' : 'minus majority',
];

/** Cells of a strategy under `searchHead`. */
export const searchCells = ({ title, points }: SearchStrategy): readonly string[] => {
  const gain = points.at(-1)?.gain;
  return [
    title,
    ...points.map(({ accuracy, interval }, at) =>
      at === points.length - 1 ? withInterval(accuracy, interval) : rate(accuracy),
    ),
    gain ? withInterval(gain.difference, gain.interval, delta) : '–',
  ];
};

/** What the numbers are of, in a sentence. */
export const searchText = ({ problems, samples, unread, strategies }: SearchCurve): string => {
  if (strategies.some(({ id }) => id === 'best-so-far'))
    return (
      `Score on ${problems} held-out problems by round: prompts show answers of earlier rounds, and n is the ` +
      'number of answers so far. Brackets: 95 % over problems; the last column is the gain over the first round.'
    );
  if (!strategies.some(({ id }) => id === 'majority'))
    return (
      `Accuracy on ${problems} held-out problems of searches with n candidates in each round. Brackets: 95 % ` +
      'over problems.'
    );
  const silent = unread > 0 ? `${rate(unread)} of the answers name none and do not vote. ` : '';
  return (
    `Accuracy on ${problems} held-out problems by rules that choose among n of ${samples} answers, the mean ` +
    'over all subsets of n; where there are more than 64, weighted and Borda votes take 64 seeded ones, RPC 16 ' +
    `of these. ${silent}Brackets: 95 % over problems; the last column is paired with the majority vote.`
  );
};
