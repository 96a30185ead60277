import type { SearchCurve, SearchStrategy } from '../../../../engine/schema/search.ts';
import { withInterval } from '../../../lib/format.ts';
import { markOf } from '../../../lib/run-colors.svelte.ts';
import type { Mark } from '../../../charts/plot/marks.ts';

/** Scorers with lines of their own, those of the run first: they were chosen for it. */
export const scorersOf = ({ strategies }: SearchCurve): readonly string[] => {
  const all = [...new Set(strategies.flatMap(({ scorer }) => (scorer === null ? [] : [scorer])))];
  const own = ['self-certainty', 'likelihood'];
  return [...all.filter((scorer) => !own.includes(scorer)), ...all.filter((scorer) => own.includes(scorer))];
};

/** The lines of a chart: rules without a scorer, and those by the chosen one. */
export const shownStrategies = (
  { strategies }: SearchCurve,
  scorer: string | undefined,
): readonly SearchStrategy[] => strategies.filter((each) => each.scorer === null || each.scorer === scorer);

/** Each strategy as a line through its points, over the band of its intervals. */
export const searchMarks = (strategies: readonly SearchStrategy[]): readonly Mark[] =>
  linesOf(strategies, ({ tokens }) => tokens);

/** The same over another number of a point. */
export const linesOf = (
  strategies: readonly Pick<SearchStrategy, 'id' | 'title' | 'points'>[],
  xOf: (point: SearchStrategy['points'][number]) => number,
): readonly Mark[] =>
  strategies.flatMap(({ id, title, points }, at): Mark[] => {
    const { variable, dash } = markOf(at);
    const x = points.map(xOf);
    const y = points.map(({ accuracy }) => accuracy);
    const texts = points.map(
      ({ n, accuracy, interval }) => `${title}, n = ${n}: ${withInterval(accuracy, interval)}`,
    );
    return [
      {
        kind: 'band',
        variable,
        x,
        low: points.map(({ interval: [low] }) => low),
        high: points.map(({ interval: [, high] }) => high),
      },
      { kind: 'line', name: title, variable, x, y, texts, dash: id === 'oracle' ? [2, 3] : dash },
    ];
  });
