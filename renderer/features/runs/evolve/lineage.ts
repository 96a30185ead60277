/** Attempts of a search in rounds: which ones each was shown, read from the texts that the model saw. */
import { shownText, WORDS } from '../../../../engine/common/shown-answers.ts';
import type { BrowsedSample } from '../../../../preload/contract/samples.ts';
import type { Run } from '../../../../preload/contract/runs.ts';

/** How a search in rounds was made. */
export interface RoundsSettings {
  readonly groupSize: number;
  readonly rounds: number;
  readonly shows: number;
  readonly selector: 'none' | 'rewards' | 'verifier';
  readonly swapped: boolean;
  readonly beside: boolean;
  readonly shown: string;
  readonly attempt: string;
}

/** The settings of a search in rounds; null for a run of another method. */
export function settingsOf({ spec }: Run): RoundsSettings | null {
  if (spec?.method.id !== 'search-rounds') return null;
  // a stored specification has every parameter
  return spec.method.params as unknown as RoundsSettings;
}

export interface Attempt {
  readonly sample: BrowsedSample;
  /** From 0; −1 for a plain answer beside the rounds. */
  readonly round: number;
  readonly score: number;
  /** Places of the attempts that its prompt showed. */
  readonly saw: readonly number[];
}

/**
 * The attempts at one prompt in the order in which they were sampled, those of its first batch. A prompt that
 * was drawn several times has as many times the answers in each round.
 */
export function attemptsOf(
  samples: readonly BrowsedSample[],
  settings: RoundsSettings,
  score: string | undefined,
): readonly Attempt[] {
  const { groupSize, rounds, beside } = settings;
  const step = Math.min(...samples.map((each) => each.step));
  const ordered = samples
    .filter((each) => !each.superseded && each.step === step)
    .toSorted((a, b) => a.sample - b.sample);
  const once = groupSize * rounds + (beside ? groupSize * (rounds - 1) : 0);
  const draws = Math.max(1, Math.round(ordered.length / once));
  const attempts: Attempt[] = [];
  for (const [at, sample] of ordered.entries()) {
    const round = Math.floor(at / (groupSize * draws));
    attempts.push({
      sample,
      round: round < rounds ? round : -1,
      score: (score === undefined ? undefined : sample.scores[score]) ?? Number.NaN,
      saw: sawOf(sample, attempts.slice(0, round * groupSize * draws), settings),
    });
  }
  return attempts;
}

/**
 * Places of the attempts whose texts the shown prompt is made of, the newest ones where several are equal.
 */
function sawOf(
  { prompt, shown }: BrowsedSample,
  earlier: readonly Attempt[],
  { shown: template, attempt }: RoundsSettings,
): readonly number[] {
  if (shown === undefined) return [];
  const [before, after] = template.split('{attempts}').map((part) => part.replaceAll('{prompt}', prompt));
  if (after === undefined || !shown.startsWith(before) || !shown.endsWith(after)) return [];
  const middle = shown.slice(before.length, shown.length - after.length);
  const texts = earlier.map(({ sample, score }) =>
    shownText({ shown: '{attempts}', attempt, ...WORDS }, { prompt, reference: null }, [
      { text: sample.completion, reward: score, reason: '' },
    ]),
  );
  return spelled(middle, texts, texts.length - 1, new Set()) ?? [];
}

/** Places of texts that make up a whole, each used once; null if none do. */
function spelled(
  rest: string,
  texts: readonly string[],
  newest: number,
  used: ReadonlySet<number>,
): readonly number[] | null {
  if (rest === '') return [];
  for (let at = newest; at >= 0; at--) {
    if (used.has(at) || texts[at] === '' || !rest.startsWith(texts[at])) continue;
    const more = spelled(rest.slice(texts[at].length), texts, newest, new Set([...used, at]));
    if (more) return [at, ...more];
  }
  return null;
}
