/** Correlates the latents of a prompt's answers with their texts and rewards. */
import { distancesOf, mantelTest, type ProblemOutcome } from '../../evaluate/index.ts';
import type { LatentAnswers } from '../../schema/latent-answers.ts';
import { planeOf } from './latent-episodes.ts';

/** Answers that are kept with their latents, at most; all numbers of these; characters of a text. */
const [ANSWERS, LATENT_NUMBERS, TEXT] = [128, 4096, 200];

/** A problem with its prompt, whose answers may each have a latent. */
export interface LatentProblem {
  readonly prompt: string;
  readonly answers: readonly (Pick<ProblemOutcome['answers'][number], 'correct' | 'gold' | 'text'> & {
    readonly latent?: ArrayLike<number>;
  })[];
}

const cut = (text: string): string => (text.length > TEXT ? `${text.slice(0, TEXT - 1)}…` : text);

/**
 * The answers of the first problems in the plane of their latents, with Mantel tests within each prompt;
 * `seed` keys these. Null without latents.
 */
export const latentAnswers = (problems: readonly LatentProblem[], seed: number): LatentAnswers | null => {
  const samples = problems[0]?.answers.length ?? 0;
  const width = problems[0]?.answers[0]?.latent?.length ?? 0;
  if (width === 0) return null;
  const most = Math.min(ANSWERS, Math.floor(LATENT_NUMBERS / width));
  const kept = problems.slice(0, Math.max(1, Math.floor(most / samples)));
  const texts = kept.map(({ answers }) => [...new Set(answers.map(({ text = '' }) => text))]);
  const rows = kept.flatMap(({ answers }, prompt) =>
    answers.map(({ correct, gold, text = '', latent = [] }) => ({
      prompt,
      text: texts[prompt].indexOf(text),
      correct,
      gold,
      latent: Array.from(latent),
    })),
  );
  const latents = rows.map(({ latent }) => latent);
  const { at, explained } = planeOf(latents);
  const apart = distancesOf(latents);
  const options = { seed, groups: rows.map(({ prompt }) => prompt) };
  const unlike = Float64Array.from(apart, (_distance, pair) => {
    const [one, other] = [rows[Math.floor(pair / rows.length)], rows[pair % rows.length]];
    return Number(one.text !== other.text);
  });
  return {
    prompts: kept.map(({ prompt }) => cut(prompt)),
    answers: rows.map((row, k) => ({ ...row, at: [at[k][0], at[k][1]] })),
    texts: texts.map((own) => own.map(cut)),
    explained: [explained[0], explained[1]],
    alike: mantelTest(apart, unlike, options),
    rewards: mantelTest(apart, distancesOf(rows.map(({ gold }) => [gold])), options),
  };
};
