import type { Conclusion } from '../../preload/contract/compare.ts';
import { differenceText, pText } from '../../preload/wire/conclusions.ts';
import { count, rate, withInterval } from '../../preload/wire/numbers.ts';
import type { Block, Section } from './input.ts';

type Value = readonly [number, number] | null | undefined;
const text = (value: number, interval: Value): string =>
  interval ? withInterval(value, interval) : rate(value);

/** Tables of a conclusion as titles and rows of text: the same in a report and on the command line. */
export function conclusionTables(conclusion: Conclusion): {
  readonly differences: readonly string[][];
  readonly aggregates: readonly string[][];
  readonly wins: readonly string[][];
} {
  const nameOf = (key: string): string => conclusion.groups.find((group) => group.key === key)?.name ?? '';
  const measureOf = (id: string) => conclusion.measures.find((measure) => measure.id === id);
  const share = (n: number, of: number): string => (of === 0 ? '–' : rate(n / of, 2));
  return {
    differences: [
      ['run', 'measure', 'difference [95 %]', 'p, Holm', 'problems'],
      ...conclusion.differences.map(({ name, measure, difference, interval, adjusted, problems }) => [
        name,
        measureOf(measure)?.title ?? measure,
        difference === null
          ? '–'
          : differenceText({ difference, interval, unit: measureOf(measure)?.unit ?? 'score' }),
        adjusted === null ? '–' : pText(adjusted).replace('= ', ''),
        count(problems),
      ]),
    ],
    aggregates: [
      ['run', 'seeds', 'pass@1 over seeds', 'IQM', 'mean', 'median', 'optimality gap', 'P(improvement)'],
      ...conclusion.aggregates.map(({ key, runs, values, intervals, improvement }) => {
        const seeds = conclusion.groups.find((group) => group.key === key)?.overSeeds;
        return [
          nameOf(key),
          `n = ${runs}`,
          seeds ? text(seeds.mean, seeds.interval) : '–',
          text(values.iqm, intervals?.iqm),
          text(values.mean, intervals?.mean),
          text(values.median, intervals?.median),
          text(values.optimalityGap, intervals?.optimalityGap),
          improvement ? text(improvement.value, improvement.interval) : '–',
        ];
      }),
    ],
    wins: [
      ['run', 'against', 'better', 'equal', 'worse', 'problems'],
      ...conclusion.wins.map(({ a, b, better, equal, worse, problems }) => [
        nameOf(a),
        nameOf(b),
        share(better, problems),
        share(equal, problems),
        share(worse, problems),
        count(problems),
      ]),
    ],
  };
}

/** The sentences of the first measure, and the runs that were left out. */
export const conclusionSentences = ({ differences, measures, leftOut }: Conclusion): string[] => [
  ...differences.filter(({ measure }) => measure === measures.at(0)?.id).map(({ sentence }) => sentence),
  ...leftOut.map(({ name, reason }) => `${name} is left out: it ${reason}.`),
];

const tableOf = ([head, ...rows]: readonly string[][]): Block[] =>
  rows.length === 0 ? [] : [{ kind: 'table', columns: head.map((title) => ({ title })), rows }];

/** The sections of a report: what the comparison concludes, with its tables. */
export function conclusionSections(conclusion: Conclusion): Section[] {
  const { differences, aggregates, wins } = conclusionTables(conclusion);
  const baseline = conclusion.groups.find(({ key }) => key === conclusion.baseline)?.name;
  if (baseline === undefined || conclusion.groups.length < 2) return [];
  return [
    {
      title: `Differences to ${baseline}`,
      blocks: [
        ...conclusionSentences(conclusion).map((sentence): Block => ({ kind: 'finding', text: sentence })),
        ...tableOf(differences),
      ],
    },
    {
      title: `Aggregates of pass@1 on ${count(conclusion.problems)} common problems`,
      blocks: tableOf(aggregates),
    },
    { title: 'Wins: shares of common problems', blocks: tableOf(wins) },
  ].filter(({ blocks }) => blocks.length > 0);
}
