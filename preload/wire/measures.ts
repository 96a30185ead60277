/**
 * The measures of an evaluation as columns of tables: pages, reports and commands read this list, so that a
 * new column is one entry here.
 */
import type { EpisodeEvaluation, Interval, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { amount, divergence, number, rate as rateText, withInterval } from './numbers.ts';

/** Where a column is shown: the comparison on the page, report files, tables of the command line. */
export type MeasureTable = 'page' | 'report' | 'command';

/**
 * A text, or a number with its format: `rate` lies in 0–1, `score` is of any size, `kl` in nats, `length`
 * counts tokens. `value` is null if it is unknown.
 */
export type Measure =
  | string
  | {
      readonly format: 'rate' | 'score' | 'kl' | 'length';
      readonly value: number | null;
      readonly interval?: Interval;
      readonly note?: string;
    };

export interface MeasureColumn<Evaluation = PolicyEvaluation> {
  readonly title: string;
  readonly unit?: string;
  readonly hint?: string;
  /** Title of the interval that its cells carry. */
  readonly interval?: string;
  /** Tables that show it; every table without this list. */
  readonly tables?: readonly MeasureTable[];
  /** False if none of the evaluations has it. */
  readonly isKnown?: boolean;
  readonly cell: (evaluation: Evaluation) => Measure;
}

const formats = {
  rate: rateText,
  score: number,
  kl: divergence,
  length: (value: number) => value.toFixed(1),
};

/** A measure as text, with its interval in brackets: the same in every table. */
export const measureText = (measure: Measure): string => {
  if (typeof measure === 'string') return measure;
  const { format, value, interval, note } = measure;
  if (value === null) return '–';
  const write = format === 'score' ? amount : rateText;
  const text = interval ? withInterval(value, interval, write) : formats[format](value);
  return note ? `${text} (${note})` : text;
};

const rate = (value: number): Measure => ({ format: 'rate', value });

/** pass@k for the largest k that was sampled; the cell names it if it is not the column's `k`. */
const passAtMost =
  (k: number) =>
  ({ passAtK }: PolicyEvaluation): Measure => {
    const own = passAtK.at(-1);
    return {
      format: 'rate',
      value: own?.value ?? null,
      ...(own && own.k !== k && { note: `k=${own.k}` }),
    };
  };

/** True if a problem was solved by more than one text: else their number is pass@k of all samples. */
const hasSeveral = ({ distinctRight = 0, passAtK }: PolicyEvaluation): boolean =>
  distinctRight > (passAtK.at(-1)?.value ?? 0) + 1e-9;

/** Columns of a table of these evaluations, in reading order. */
export const policyColumns = (
  table: MeasureTable,
  evaluations: readonly PolicyEvaluation[],
): readonly MeasureColumn[] => {
  const most = Math.max(1, ...evaluations.flatMap(({ passAtK }) => passAtK.map(({ k }) => k)));
  const hasProxy = evaluations.some(({ proxy }) => proxy !== null);
  // a verifier of right or wrong rewards pass@1 itself
  const hasOwnGold = evaluations.some(({ gold, passAt1 }) => gold !== passAt1);
  const columns: readonly MeasureColumn[] = [
    {
      title: 'pass@1',
      hint: '95 % interval over problems',
      interval: '95 %',
      cell: ({ passAt1, passAt1Interval }) => ({ format: 'rate', value: passAt1, interval: passAt1Interval }),
    },
    { title: `pass@${most}`, isKnown: most > 1, cell: passAtMost(most) },
    {
      title: 'distinct right',
      hint: 'Different right answers to a problem among those sampled',
      isKnown: evaluations.some(hasSeveral),
      cell: ({ distinctRight = null }) => ({ format: 'score', value: distinctRight }),
    },
    {
      title: 'greedy',
      hint: 'Share solved by the single likeliest answer',
      cell: ({ greedy }) => rate(greedy),
    },
    {
      title: 'KL',
      unit: 'nats',
      hint: 'KL(policy ‖ initial policy) over whole answers, in nats; none for a run that began from random weights',
      cell: ({ kl }) => ({ format: 'kl', value: kl }),
    },
    { title: 'length', unit: 'tokens', cell: ({ meanLength }) => ({ format: 'length', value: meanLength }) },
    {
      title: 'truncated',
      hint: 'Share of answers that reached the token limit',
      tables: ['page', 'report'],
      cell: ({ truncated }) => rate(truncated),
    },
    {
      title: 'gold',
      hint: 'Mean verifier reward',
      isKnown: hasOwnGold,
      cell: ({ gold }) => rate(gold),
    },
    {
      title: 'proxy',
      hint: "Mean of the run's own reward",
      isKnown: hasProxy,
      cell: ({ proxy }) => ({ format: 'score', value: proxy }),
    },
    { title: 'problems', tables: ['page'], cell: ({ problems, samples }) => `${problems} × ${samples}` },
  ];
  return columns.filter(({ tables, isKnown = true }) => isKnown && (tables?.includes(table) ?? true));
};

/** Columns of a table of episodes in control worlds, in reading order. */
export const episodeColumns: readonly MeasureColumn<EpisodeEvaluation>[] = [
  {
    title: 'return',
    hint: 'Mean return of whole episodes, undiscounted, with its 95 % interval over episodes',
    interval: '95 %',
    cell: ({ return: value, returnInterval }) => ({
      format: 'score',
      value,
      ...(returnInterval && { interval: returnInterval }),
    }),
  },
  {
    title: 'deviation',
    hint: 'Standard deviation of the return of one episode',
    cell: ({ deviation }) => ({ format: 'score', value: deviation }),
  },
  { title: 'length', unit: 'steps', cell: ({ length }) => ({ format: 'length', value: length }) },
  { title: 'episodes', cell: ({ episodes }) => String(episodes) },
];
