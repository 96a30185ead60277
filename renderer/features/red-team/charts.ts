import type { RedTeam } from '../../../preload/contract/red-team.ts';
import type { Mark } from '../../charts/plot/marks.ts';
import { percent, plural, rate } from '../../lib/format.ts';
import { markOf } from '../../lib/run-colors.svelte.ts';

const [first, second] = [markOf(0).variable, markOf(1).variable];

/** How families come about where the world knows none. */
export const LIKENESS =
  'Attacks that succeed, grouped by the runs of three characters that they share with the first of a family';

/** Families found over attacks, as stairs that begin at none. */
export const familyMarks = ({ families, attacks }: RedTeam): readonly Mark[] => {
  const found = families.map(({ first: at, family }, k) => ({ at, count: k + 1, family }));
  return [
    {
      kind: 'line',
      name: 'families',
      variable: first,
      isStair: true,
      x: [0, ...found.map(({ at }) => at), attacks],
      y: [0, ...found.map(({ count }) => count), found.length],
      texts: ['no attack yet', ...found.map(({ family }) => family), 'all attacks so far'],
    },
  ];
};

/** Quality and diversity over thresholds of harm. */
export const thresholdMarks = ({ frontier }: RedTeam): readonly Mark[] => {
  const known = frontier.filter(({ diversity }) => diversity !== null);
  return [
    {
      kind: 'line',
      name: 'quality',
      variable: first,
      x: frontier.map(({ threshold }) => threshold),
      y: frontier.map(({ quality }) => quality),
    },
    {
      kind: 'line',
      name: 'diversity',
      variable: second,
      dash: [4, 3],
      x: known.map(({ threshold }) => threshold),
      y: known.map(({ diversity }) => diversity ?? 0),
    },
  ];
};

export const thresholdRows = ({ frontier }: RedTeam): string[][] =>
  frontier.map(({ threshold, quality, diversity }) => [
    threshold.toFixed(2),
    rate(quality),
    diversity === null ? '–' : rate(diversity),
  ]);

/** The red team in a line: what it reached. */
export const summaryOf = ({ attacks, successes, families, hasFamilies }: RedTeam): string =>
  [
    `${successes.toLocaleString('en')} of ${attacks.toLocaleString('en')} attacks succeed`,
    attacks > 0 && percent(successes / attacks),
    hasFamilies
      ? `${plural(families.length, 'family', 'families')} found`
      : families.length > 0 && `${plural(families.length, 'family', 'families')} by likeness`,
  ]
    .filter((part) => part !== false)
    .join(', ');
