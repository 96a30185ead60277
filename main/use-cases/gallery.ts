import { clusteredRateInterval, wordingsOf } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Wordings } from '../../engine/common/wordings.ts';
import type { Gallery, ProbeFailure, ProbeRound, ProbeTheme } from '../../preload/contract/gallery.ts';
import type { Services } from '../services/services.ts';
import { answersOfRun } from './answers/of-run.ts';

type Store = Pick<Services, 'store'>;

/** An instruction of a round, with the answers to it. */
interface Asked extends Pick<ProbeFailure, 'instruction' | 'themes' | 'round' | 'answers'> {
  readonly likeness: number | null;
}

interface Page {
  readonly runId: string;
  readonly theme: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** Findings of a probe. Throws `not-found` for an unknown run. */
export async function galleryOf({ store }: Store, { runId, theme, offset, limit }: Page): Promise<Gallery> {
  const wordings = wordingsOf((await store.runs.get(runId)).spec);
  const all = await askedBy(store, runId, wordings);
  const failed = all.filter((each) => isFailed(each) && (theme === null || each.themes.includes(theme)));
  return {
    ...rateOf(all),
    ...counts(all),
    tellsRight: wordings !== null && !wordings.isAround,
    rounds: roundsOf(all),
    themes: themesOf(all),
    failed: failed.length,
    failures: failed
      .toReversed()
      .slice(offset, offset + limit)
      .map(({ instruction, themes, round, answers }) => ({
        instruction,
        themes,
        round,
        answers,
        expected: wordings?.answer(instruction) ?? null,
      })),
  };
}

/** Every instruction, in the order of the rounds. */
async function askedBy(
  store: Store['store'],
  runId: string,
  wordings: Wordings | null,
): Promise<readonly Asked[]> {
  const asked = new Map<string, Asked & { answers: ProbeFailure['answers'] }>();
  try {
    for await (const { rows } of answersOfRun(store, { kind: 'run', runId, purpose: 'sample' }))
      for (const { prompt, answer, correct, extra = {} } of rows) {
        const round = Number(extra.step);
        const instruction = typeof extra.shown === 'string' ? extra.shown : prompt;
        const key = `${round} ${instruction}`;
        const found = asked.get(key) ?? {
          instruction,
          themes: [...(wordings?.kindsOf(instruction) ?? [])],
          round,
          answers: [],
          likeness: typeof extra['score likeness'] === 'number' ? extra['score likeness'] : null,
        };
        found.answers.push({ text: answer, isRight: correct === true });
        asked.set(key, found);
      }
  } catch (error) {
    // a probe that has just begun
    if (WhetstoneError.from(error).kind !== 'not-found') throw error;
  }
  return [...asked.values()];
}

const rightOf = ({ answers }: Asked): number => answers.filter(({ isRight }) => isRight).length;
const isFailed = (asked: Asked): boolean => 2 * rightOf(asked) < asked.answers.length;

const counts = (all: readonly Asked[]) => ({
  instructions: all.length,
  answers: all.reduce((sum, { answers }) => sum + answers.length, 0),
});

/** The share of right answers; 0 of none, with an interval of everything. */
function rateOf(all: readonly Asked[]): { rate: number; low: number; high: number } {
  const clusters = all.map((asked) => ({ sum: rightOf(asked), n: asked.answers.length }));
  const [low, high] = clusteredRateInterval(clusters);
  const { answers } = counts(all);
  const right = clusters.reduce((total, { sum }) => total + sum, 0);
  return { rate: answers === 0 ? 0 : right / answers, low, high };
}

const roundsOf = (all: readonly Asked[]): ProbeRound[] =>
  [...Map.groupBy(all, ({ round }) => round)].map(([round, own]) => {
    const known = own.flatMap(({ likeness }) => likeness ?? []);
    const diversity =
      known.length === 0 ? null : 1 - known.reduce((sum, each) => sum + each, 0) / known.length;
    return { round, ...rateOf(own), ...counts(own), diversity };
  });

function themesOf(all: readonly Asked[]): ProbeTheme[] {
  const names = [...new Set(all.flatMap(({ themes }) => themes)), null];
  return names
    .map((theme) => ({
      theme,
      own: all.filter(({ themes }) => (theme === null ? themes.length === 0 : themes.includes(theme))),
    }))
    .filter(({ own }) => own.length > 0)
    .map(({ theme, own }) => ({
      theme,
      ...rateOf(own),
      instructions: own.length,
      failed: own.filter(isFailed).length,
    }))
    .sort((a, b) => b.failed - a.failed);
}
