/** Views of a run’s results, which the tabs of its page show. */
import { readResult, type ResultKind, type ResultValue } from '../../engine/schema/results.ts';
import { number as shown } from '../../preload/wire/numbers.ts';
import { endMarks, startKinds } from '../../preload/wire/start-kinds.ts';
import type { OpenServices } from '../headless/open.ts';
import { columns, type Answer } from './command.ts';

type Found = Pick<Answer, 'value' | 'text'>;
/** Where a view is read from, and how much of it. */
export interface Source {
  readonly api: OpenServices['api'];
  readonly runId: string;
  /** Most entries of a list, such as attacks or failures. */
  readonly limit: number;
}
export interface ResultView {
  readonly id: string;
  readonly title: string;
  /** Null where the run has nothing of it. */
  read(source: Source): Promise<Found | null>;
}

/** An attack succeeds if its harm is above this, as on the page at first. */
const SUCCESS = 0.5;

const cell = (value: number | null | undefined): string => (value == null ? '' : shown(value));
const within = (value: number | null, interval: readonly [number, number] | null): string =>
  `${cell(value)}${interval ? ` [${cell(interval[0])}, ${cell(interval[1])}]` : ''}`;
/** Text on one line without control characters, cut. */
const line = (text: string, most = 80): string => {
  const flat = [...text.replaceAll(/[\s\p{Cc}]+/gu, ' ')];
  return flat.length > most ? `${flat.slice(0, most - 1).join('')}…` : flat.join('');
};
const all = <T>(value: T, lines: readonly string[]): Found => ({ value, text: lines.join('\n') });

/** A view of the newest stored results of a kind, by the last attempt that has some. */
const stored =
  <K extends ResultKind>(kind: K, textOf: (value: ResultValue<K>) => string): ResultView['read'] =>
  async ({ api, runId }) => {
    const found = (await api.runs.results({ id: runId })).filter((result) => result.kind === kind);
    const attempt = Math.max(...found.map((result) => result.attempt));
    const latest = found.filter((result) => result.attempt === attempt);
    const newest = Math.max(...latest.map(({ step }) => step));
    const values = latest.filter(({ step }) => step === newest).map(({ value }) => readResult(kind, value));
    return values.length === 0 ? null : all(values, values.map(textOf));
  };

const evaluation = stored('evaluation', (found) =>
  columns([
    ['step', 'problems', 'pass@1', 'greedy', 'KL', 'verifier', 'tokens'],
    [
      String(found.step),
      String(found.problems),
      within(found.passAt1, found.passAt1Interval),
      ...[found.greedy, found.kl, found.gold, found.meanLength].map(cell),
    ],
    ...found.passAtK.map(({ k, value }) => ['', '', `pass@${k} ${cell(value)}`]),
  ]),
);

const further = stored('further-evaluations', ({ step, evaluations }) =>
  columns([
    ['step', 'evaluation', 'measure', 'value'],
    ...evaluations.flatMap(({ name, measures }) =>
      measures.map((each) => [String(step), name, each.name, within(each.value, each.interval)]),
    ),
  ]),
);

const inspection = stored('reward-inspection', ({ pairs, accuracy, accuracyInterval, ece, slices }) =>
  columns([
    ['slice', 'pairs', 'accuracy', 'calibration error'],
    ['all', String(pairs), within(accuracy, accuracyInterval), cell(ece)],
    ...slices.map((slice) => [line(slice.name), String(slice.n), within(slice.accuracy, slice.interval)]),
  ]),
);

const preferences = stored('preference-evaluation', ({ pairs, accuracy, accuracyInterval, rewardMargin }) =>
  columns([
    ['pairs', 'accuracy', 'margin'],
    [String(pairs), within(accuracy, accuracyInterval), cell(rewardMargin)],
  ]),
);

const search = stored('search', ({ strategies }) =>
  columns([
    ['strategy', 'scorer', 'answers', 'tokens', 'right', 'against the vote'],
    ...strategies.flatMap(({ title, scorer, points }) =>
      points.map(({ n, tokens, accuracy, interval, gain }) => [
        title,
        scorer ?? '',
        String(n),
        cell(tokens),
        within(accuracy, interval),
        gain ? within(gain.difference, gain.interval) : '',
      ]),
    ),
  ]),
);

const episodes = stored('episodes', (found) => {
  const { cells = [], training = [] } = found.coverage ?? {};
  const facts = [
    ['step', 'episodes', 'return', 'length'],
    [
      String(found.step),
      String(found.episodes),
      within(found.return, found.returnInterval),
      cell(found.length),
    ],
  ];
  const visited = training.filter((visits) => visits > 0).length;
  return [
    columns(facts),
    ...(found.charts ?? []).map(
      ({ name, complete, completeInterval }) =>
        `chart ${name}: ${within(complete, completeInterval)} complete`,
    ),
    ...(cells.length ? [`visited in training: ${visited} of ${cells.length} cells`] : []),
  ].join('\n');
});

const replay = stored('replay', ({ step, buffer, rows, effective }) =>
  columns([
    ['step', 'buffer', 'rows', 'effective share'],
    [String(step), buffer, String(rows), cell(effective)],
  ]),
);

async function starts({ api, runId }: Source): Promise<Found | null> {
  const found = await api.startStates.ofRun({ runId });
  if (!found) return null;
  const rows = found.matrices.flatMap(({ purpose, answers }) =>
    answers.flatMap((counts, at) =>
      counts.some((count) => count > 0) ? [[purpose, startKinds[at], ...counts.map(String)]] : [],
    ),
  );
  return all(found, [columns([['purpose', 'began', ...endMarks.map((mark) => `ended ${mark}`)], ...rows])]);
}

async function verdicts({ api, runId, limit }: Source): Promise<Found | null> {
  const found = await api.verdicts.ofRun({ runId });
  if (!found) return null;
  const last = found.stages.at(-1);
  const { transcripts } = last
    ? await api.verdicts.transcripts({ runId, from: last.from, to: last.to, kind: 'all', limit })
    : { transcripts: [] };
  return all({ ...found, transcripts }, [
    columns([
      ['steps', 'answers', 'malformed', 'F1 of the first error', 'in wrong', 'in right'],
      ...found.stages.map(({ from, to, read, malformed, firstError }) => [
        `${from}–${to}`,
        String(read),
        String(malformed),
        ...[firstError.f1, firstError.inWrong, firstError.inRight].map(cell),
      ]),
    ]),
  ]);
}

async function redTeam({ api, runId, limit }: Source): Promise<Found | null> {
  const found = await api.redTeam.of({ runId, above: SUCCESS });
  if (found.attacks === 0) return null;
  const { attacks } = await api.redTeam.attacks({
    runId,
    above: SUCCESS,
    show: 'successful',
    family: null,
    search: '',
    distinct: true,
    offset: 0,
    limit,
    around: null,
  });
  return all({ ...found, archive: attacks }, [
    `${found.successes} of ${found.attacks} attacks succeed; area below the frontier ${cell(found.area)}`,
    columns([
      ['family', 'found with attack', 'successes'],
      ...found.families.map(({ family, first, successes }) => [family, String(first), String(successes)]),
    ]),
    columns([
      ['attack', 'harm', 'text', 'reply'],
      ...attacks.map(({ query, harm, attack, reply }) => [
        String(query),
        cell(harm),
        line(attack),
        line(reply, 40),
      ]),
    ]),
  ]);
}

async function gallery({ api, runId, limit }: Source): Promise<Found | null> {
  const { method } = await api.runs.get({ id: runId });
  if (method !== 'ert') return null;
  const found = await api.gallery.of({ runId, theme: null, offset: 0, limit });
  if (found.instructions === 0) return null;
  return all(found, [
    columns([
      ['round', 'instructions', 'right', 'diversity'],
      ...found.rounds.map(({ round, instructions, rate, low, high, diversity }) => [
        String(round),
        String(instructions),
        within(rate, [low, high]),
        cell(diversity),
      ]),
    ]),
    columns([
      ['theme', 'right', 'failed'],
      ...found.themes.map(({ theme, rate, low, high, failed }) => [
        theme ?? 'none',
        within(rate, [low, high]),
        String(failed),
      ]),
    ]),
    ...found.failures.map(({ round, instruction }) => `fails in round ${round}: ${line(instruction)}`),
  ]);
}

/** In the order of lists. A new one is its line here. */
export const resultViews: readonly ResultView[] = [
  { id: 'evaluation', title: 'Evaluation of the policy', read: evaluation },
  { id: 'further', title: 'Further evaluations', read: further },
  { id: 'inspection', title: 'Inspection of a reward model', read: inspection },
  { id: 'preferences', title: 'Held-out pairs by the implicit reward', read: preferences },
  { id: 'search', title: 'Test-time search and rounds of attempts', read: search },
  { id: 'episodes', title: 'Episodes in a control world, with their coverage', read: episodes },
  { id: 'replay', title: 'Replay buffers', read: replay },
  { id: 'starts', title: 'Start states', read: starts },
  { id: 'verdicts', title: 'Verdicts of a verifier trained along', read: verdicts },
  { id: 'red-team', title: 'Red team', read: redTeam },
  { id: 'gallery', title: 'Gallery of a probe', read: gallery },
];

/** The views of which the run has results, in their order. */
export async function readViews(views: readonly ResultView[], source: Source) {
  const found = [];
  for (const { id, title, read } of views) {
    const has = await read(source);
    if (has) found.push({ id, title, ...has });
  }
  return found;
}
