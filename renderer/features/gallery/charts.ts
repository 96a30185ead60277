import type { Gallery, ProbeTheme } from '../../../preload/contract/gallery.ts';
import type { Mark } from '../../charts/plot/marks.ts';
import { percent } from '../../lib/format.ts';
import { markOf } from '../../lib/run-colors.svelte.ts';
import type { Probe } from './gallery.svelte.ts';

/** Success over rounds, a line for each probe, with its intervals. */
export const roundMarks = (probes: readonly Probe[]): readonly Mark[] =>
  probes.flatMap(({ node, found: { rounds } }, at): Mark[] => {
    const { variable } = markOf(at);
    const x = rounds.map(({ round }) => round);
    const y = rounds.map(({ rate }) => rate);
    const yBounds = rounds.map(({ low, high }) => [low, high] as const);
    return [
      { kind: 'line', name: node, variable, x, y },
      { kind: 'points', name: node, variable, x, y, yBounds },
    ];
  });

const withInterval = ({ rate, low, high }: Pick<Gallery, 'rate' | 'low' | 'high'>): string =>
  `${percent(rate)} (${percent(low)}–${percent(high)})`;

export const roundRows = (probes: readonly Probe[]): string[][] =>
  probes.flatMap(({ node, found }) =>
    found.rounds.map((round) => [
      node,
      String(round.round),
      String(round.instructions),
      withInterval(round),
      round.diversity === null ? '–' : round.diversity.toFixed(2),
    ]),
  );

/** A kind of change with what each probe found of it; null where none of its instructions has it. */
export interface ThemeRow {
  readonly theme: string | null;
  readonly of: readonly (ProbeTheme | null)[];
}

/** The kinds of changes of all probes, those with most failures first. */
export function themeRows(probes: readonly Probe[]): readonly ThemeRow[] {
  const themes = [...new Set(probes.flatMap(({ found }) => found.themes.map(({ theme }) => theme)))];
  const failures = ({ of }: ThemeRow): number => of.reduce((sum, each) => sum + (each?.failed ?? 0), 0);
  return themes
    .map((theme) => ({
      theme,
      of: probes.map(({ found }) => found.themes.find((each) => each.theme === theme) ?? null),
    }))
    .sort((a, b) => failures(b) - failures(a));
}

export const themeText = (theme: ProbeTheme | null): string => (theme ? withInterval(theme) : '–');

/** One line that sums up a probe. */
export const summaryOf = ({ node, found }: Probe): string =>
  `${node}: ${withInterval(found)} right of ${found.answers.toLocaleString('en')} answers to ` +
  `${found.instructions.toLocaleString('en')} instructions`;
