import type {
  Coefficient,
  Drift,
  LabelerQuality,
  QualityReport,
  Rate,
} from '../../../preload/contract/quality.ts';
import { count, rate, withInterval } from '../../lib/format.ts';

/** A share with its interval; a dash without cases. */
export const shareText = ({ rate: value, interval }: Rate): string =>
  value === null ? '–' : withInterval(value, interval);

/** A coefficient with its interval; a dash where the labels leave it undefined. */
export const coefficientText = ({ value, interval }: Coefficient): string =>
  value === null ? '–' : interval ? withInterval(value, interval) : rate(value);

/** Names of Landis and Koch (1977) for values of kappa, from the lowest bound. */
const strengths = [
  [0.8, 'almost perfect'],
  [0.6, 'substantial'],
  [0.4, 'moderate'],
  [0.2, 'fair'],
  [0, 'slight'],
] as const;

/** The meaning of a kappa, in a sentence. */
export function kappaMeaning({ value, interval }: Coefficient): string {
  if (value === null) return 'Undefined: all labels are one verdict, so chance alone agrees.';
  if (interval && interval[1] < 0)
    return 'They disagree more often than by chance: do both read the guidelines and the keys alike?';
  const name = strengths.find(([low]) => value > low)?.[1];
  if (name === undefined) return 'They agree no more than by chance.';
  const open =
    interval && interval[0] <= 0 ? '; the interval reaches chance, so more shared items are needed' : '';
  return `${name[0].toUpperCase()}${name.slice(1)} agreement beyond chance (Landis and Koch 1977)${open}.`;
}

/** The meaning of Krippendorff's alpha, by his own bounds (2004). */
export function alphaMeaning({ value }: Coefficient): string {
  if (value === null) return 'Undefined: all labels are one verdict.';
  if (value >= 0.8) return 'Reliable: at least .800, Krippendorff’s bound for conclusions.';
  if (value >= 0.667) return 'Tentative: between .667 and .800, enough for tentative conclusions.';
  return 'Below .667: too little agreement for conclusions. Sharpen the guidelines, or settle the disputes.';
}

/** The meaning of the share of left choices. */
export function leftMeaning({ left }: LabelerQuality): string {
  if (left.rate === null) return 'No decided pair yet.';
  if (!left.biased) return 'The interval contains ½: no position bias can be seen.';
  return `Position bias towards the ${left.rate > 0.5 ? 'left' : 'right'}: sides are random, so ½ is expected.`;
}

/** Means of a drift's stretches, oldest first. */
export const driftText = ({ measure, blocks }: Drift): string =>
  blocks.map(({ mean }) => (measure === 'seconds' ? mean.toFixed(1) : rate(mean, 2))).join(' · ');

export function driftMeaning({ measure, per100, interval, drifts, blocks }: Drift): string {
  const what = measure === 'seconds' ? 'Seconds for each decision' : 'Agreement with the other labelers';
  const write = (value: number): string => (measure === 'seconds' ? value.toFixed(2) : rate(value, 3));
  const change = `${write(per100)} over 100 decisions [${write(interval[0])}, ${write(interval[1])}]`;
  const n = count(blocks.at(-1)?.to ?? 0);
  return `${what} in ${blocks.length} stretches of ${n} decisions: ${drifts ? 'drifts' : 'steady'}, ${change}.`;
}

/** The meaning of the agreement with oneself, for a model that learns these labels. */
export const ceilingMeaning = ({ ceiling }: QualityReport): string =>
  ceiling.rate === null
    ? 'No repeat was decided yet. Choose a share of repeats below; they come up unnoticed while labeling goes on.'
    : `Labelers repeat their own decision on ${count(ceiling.n)} repeats this often. A reward model trained on ` +
      'these labels can hardly agree with them more often.';

/** What is compared in a set of correctness, and the agreement on the first wrong step. */
export const stepsMeaning = (steps: Rate): string =>
  'These figures, and the disputes, compare correct and incorrect, not the step. First wrong step: ' +
  (steps.rate === null
    ? 'no item has two labelers who call it incorrect and name one.'
    : `the same in ${shareText(steps)} of the items that at least two labelers call incorrect at a step.`);
