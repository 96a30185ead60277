/** Words and lines of a search in rounds. */
import type { SearchCurve, SearchStrategy } from '../../../../engine/schema/search.ts';
import { delta, plural, rate, withInterval } from '../../../lib/format.ts';
import type { RoundsSettings } from './lineage.ts';

const among: { readonly [selector in RoundsSettings['selector']]: string } = {
  none: 'those of the round before, without a selector',
  rewards: 'the best so far by the run’s rewards',
  verifier: 'the best so far by the verifier',
};

/** How it searched, in a sentence. */
export const aboutRounds = ({ groupSize, rounds, shows, selector, swapped }: RoundsSettings): string =>
  `${plural(groupSize, 'attempt')} in each of ${plural(rounds, 'round')}; from the second on, a prompt shows ` +
  `${shows} earlier ones: ${swapped ? 'those to another prompt, as a control' : among[selector]}.`;

export interface RoundLine {
  readonly id: string;
  readonly title: string;
  readonly points: SearchStrategy['points'];
}

const lines = [
  ['mean', 'Mean'],
  ['best', 'Best'],
  ['best-so-far', 'Best so far'],
  ['plain-mean', 'Plain mean'],
  ['plain-best', 'Plain best of n'],
] as const;

/** The lines of a scorer, in the order of tables; those that the search has. */
export const roundLines = ({ strategies }: SearchCurve, scorer: string | undefined): readonly RoundLine[] =>
  lines.flatMap(([id, title]) => {
    const wanted = scorer === undefined ? id : `${id}/${scorer}`;
    const found = strategies.find((each) => each.id === wanted) ?? strategies.find((each) => each.id === id);
    return found ? [{ id, title, points: found.points }] : [];
  });

export interface RoundRow {
  readonly round: number;
  readonly n: number;
  readonly cells: readonly string[];
}

/** A row for each round: its values by line, and what its mean gained over the first round. */
export const roundRows = (all: readonly RoundLine[]): readonly RoundRow[] =>
  (all.at(0)?.points ?? []).map(({ n }, at) => {
    const gain = all[0].points[at].gain;
    return {
      round: at + 1,
      n,
      cells: [
        ...all.map(({ points }) => rate(points[at].accuracy)),
        gain ? withInterval(gain.difference, gain.interval, delta) : '–',
      ],
    };
  });
