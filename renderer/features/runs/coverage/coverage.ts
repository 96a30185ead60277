/** Where a run's episodes went and what their latents did, in words and as data of charts. */
import type { CellCoverage, LatentEpisodes, MantelTest } from '../../../../engine/schema/coverage.ts';
import type { EpisodeEvaluation } from '../../../../engine/schema/evaluation.ts';
import { newestPerStep } from '../../../lib/attempts.ts';
import { count, number, percent, plural, rate } from '../../../lib/format.ts';

export type Explored = Pick<EpisodeEvaluation, 'step' | 'coverage' | 'latents'>;

/** Evaluations that have a map or latents, the earliest first; of each step the newest attempt's. */
export const exploredIn = (
  results: readonly { kind: string; step: number; attempt: number; value: unknown }[],
): readonly Explored[] =>
  newestPerStep(results.filter(({ kind }) => kind === 'episodes'))
    .map(({ value }) => value as Explored)
    .filter(({ coverage, latents }) => coverage ?? latents);

/** Whose visits a map shows. */
export type Source = 'training' | 'evaluation';

/** Share of the cells with a visit. */
export const shareVisited = (visits: readonly number[]): number =>
  visits.filter((times) => times > 0).length / visits.length;

/** Entropy of the visits over the log of the number of cells: 1 if all are visited alike, 0 if only one is. */
export function evenness(visits: readonly number[]): number {
  const total = visits.reduce((sum, times) => sum + times, 0);
  if (visits.length < 2 || total === 0) return 0;
  const entropy = visits.reduce(
    (sum, times) => (times > 0 ? sum - (times / total) * Math.log(times / total) : sum),
    0,
  );
  return entropy / Math.log(visits.length);
}

/** The visits in a sentence or two. */
export function visitText(visits: readonly number[], source: Source): string {
  const visited = `${percent(shareVisited(visits))} of ${plural(visits.length, 'cell')}`;
  const who = source === 'training' ? 'Training so far visited' : 'The episodes of the evaluation visited';
  return `${who} ${visited}. The evenness of the visits is ${rate(evenness(visits))}: 1 if all cells are visited alike, 0 if only one is.`;
}

/** Direction of a latent in its plane, in degrees from 0 to 360. */
export const directionOf = ([x, y]: readonly [number, number]): number =>
  ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;

/** Column and row of a place among the open cells. */
export const cellAt = ({ cells, columns }: CellCoverage, place: number): readonly [number, number] => [
  cells[place] % columns,
  Math.floor(cells[place] / columns),
];

export const cellText = (coverage: CellCoverage, place: number): string => {
  const [column, row] = cellAt(coverage, place);
  return `column ${column}, row ${row}`;
};

/** An episode that can be chosen: its path, where it is kept, and the direction of its latent. */
export interface Episode {
  readonly name: string;
  readonly path: readonly number[];
  readonly end: number | null;
  /** In degrees; null without a latent. */
  readonly direction: number | null;
}

/** The episodes of an evaluation whose path or latent is kept. */
export function episodesOf({ coverage, latents }: Explored): readonly Episode[] {
  const paths = coverage?.paths ?? [];
  const n = Math.max(paths.length, latents?.episodes.length ?? 0);
  return Array.from({ length: n }, (_none, at) => {
    const own = latents?.episodes[at];
    const path = paths[at] ?? [];
    const end = own ? own.end : (path.at(-1) ?? null);
    const earned = own ? `, return ${number(own.return)}` : '';
    const ended = end !== null && coverage ? `, ends at ${cellText(coverage, end)}` : '';
    return {
      name: `Episode ${at + 1}${earned}${ended}`,
      path,
      end,
      direction: own ? directionOf(own.at) : null,
    };
  });
}

/** The number by which latents are compared. */
export type Measure = 'return' | 'distance';

/** The cell in which all kept paths begin; null if there is no such one. */
const startOf = (coverage: CellCoverage | undefined): number | null => {
  const starts = new Set(coverage?.paths.map((path) => path[0]));
  return starts.size === 1 ? [...starts][0] : null;
};

/** Straight distance from the start of the cell where each episode ended, in cells; null if that is unknown. */
export function distances({ coverage, latents }: Explored): readonly number[] | null {
  const start = startOf(coverage);
  if (!coverage || !latents || start === null) return null;
  const [column, row] = cellAt(coverage, start);
  const found = latents.episodes.flatMap(({ end }) => {
    if (end === null) return [];
    const [x, y] = cellAt(coverage, end);
    return [Math.hypot(x - column, y - row)];
  });
  return found.length === latents.episodes.length ? found : null;
}

/** The measure that tells episodes apart: their return, or if that is the same of all, how far they came. */
export const firstMeasure = (explored: Explored): Measure => {
  const returns = new Set(explored.latents?.episodes.map((each) => each.return));
  return returns.size < 2 && distances(explored) ? 'distance' : 'return';
};

export const measured = (explored: Explored, by: Measure): readonly number[] =>
  (by === 'distance' ? distances(explored) : null) ??
  explored.latents?.episodes.map((each) => each.return) ??
  [];

/** Greatest p that does not count as chance, and least r that is more than slight. */
const [CHANCE, SLIGHT] = [0.05, 0.3];

/** `How similar …: r = .41, p = .001.`: `alike` where that is more than chance, `unlike` where it is not. */
export const testText = ({ r, p }: MantelTest, alike: (how: string) => string, unlike: string): string =>
  `${p <= CHANCE && r > 0 ? alike(r < SLIGHT ? 'slightly more similar' : 'similar') : unlike}: ` +
  `r = ${rate(r, 2)}, p = ${rate(p)}.`;

/** Results of the Mantel tests, in plain sentences. */
export function latentTexts({ episodes, ends, returns }: LatentEpisodes, hasMap: boolean): readonly string[] {
  const n = episodes.length;
  const same = new Set(episodes.map((each) => each.return)).size === 1;
  const ended = ends
    ? testText(
        ends,
        (how) => `Episodes with similar latents end in ${how} places`,
        'How similar latents are says little about where episodes end',
      )
    : hasMap && n > 2
      ? 'All episodes end in the same place.'
      : null;
  const earned = returns
    ? testText(
        returns,
        (how) => `Episodes with similar latents earn ${how} returns`,
        'How similar latents are says little about what episodes earn',
      )
    : same && n > 2
      ? `All ${count(n)} episodes earn ${number(episodes[0].return)}, so that returns do not tell latents apart.`
      : null;
  return [ended, earned].filter((text) => text !== null);
}

/** Explains the colours, and gives the share of the latents' variance in their plane. */
export const planeText = ({ episodes, explained: [first, second] }: LatentEpisodes): string =>
  'The colour of a path, and the outline of a latent, is the angle of the latent in the plane of its two leading ' +
  `principal components, which hold ${percent(first + second)} of the variance of ` +
  `${plural(episodes[0].latent.length, 'number')}.`;

/** Titles of `latentRows`. */
export const latentHead: readonly string[] = [
  'episode',
  'component 1',
  'component 2',
  'direction (°)',
  'return',
  'end column',
  'end row',
];

/** The rows of the table behind the latents. */
export const latentRows = ({ coverage, latents }: Explored): readonly (readonly string[])[] =>
  (latents?.episodes ?? []).map(({ at, return: earned, end }, k) => [
    String(k + 1),
    rate(at[0]),
    rate(at[1]),
    count(directionOf(at)),
    number(earned),
    ...(coverage && end !== null ? cellAt(coverage, end).map(String) : ['–', '–']),
  ]);
