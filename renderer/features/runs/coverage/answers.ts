/** Answers of a language policy by the direction that it read, in sentences and as data of charts. */
import type { PolicyEvaluation } from '../../../../engine/schema/evaluation.ts';
import type { LatentAnswers } from '../../../../engine/schema/latent-answers.ts';
import { newestPerStep } from '../../../lib/attempts.ts';
import { count, number, percent, plural, rate } from '../../../lib/format.ts';
import { directionOf, testText } from './coverage.ts';

/** Evaluations whose answers have directions, the earliest first; of each step the newest attempt's. */
export const answeredIn = (
  results: readonly { kind: string; step: number; attempt: number; value: unknown }[],
): readonly { readonly step: number; readonly latents: LatentAnswers }[] =>
  newestPerStep(results.filter(({ kind }) => kind === 'evaluation')).flatMap(({ step, value }) => {
    const { latents } = value as PolicyEvaluation;
    return latents ? [{ step, latents }] : [];
  });

/** One text that answers to a problem have, with the answers that have it. */
export interface Cluster {
  readonly text: string;
  readonly correct: boolean;
  /** Places among all answers, and the directions of their latents in degrees. */
  readonly answers: readonly { readonly at: number; readonly direction: number }[];
}

/** The different answers to a problem: right ones first, then by how many have the text. */
export const clustersOf = ({ answers, texts }: LatentAnswers, prompt: number): readonly Cluster[] =>
  texts[prompt]
    .map((text, nth) => {
      const own = answers.flatMap((answer, at) =>
        answer.prompt === prompt && answer.text === nth ? [{ answer, at }] : [],
      );
      return {
        text,
        correct: own.some(({ answer }) => answer.correct),
        answers: own.map(({ answer, at }) => ({ at, direction: directionOf(answer.at) })),
      };
    })
    .toSorted((a, b) => Number(b.correct) - Number(a.correct) || b.answers.length - a.answers.length);

/** Different texts per problem, and the results of the tests, in plain sentences. */
export function answerTexts({ prompts, answers, texts, alike, rewards }: LatentAnswers): readonly string[] {
  const different = texts.reduce((sum, own) => sum + own.length, 0) / prompts.length;
  const first =
    `${plural(answers.length, 'answer')} to ${plural(prompts.length, 'problem')}, ` +
    `${number(different)} different ones per problem.`;
  const texted = alike
    ? testText(
        alike,
        (how) => `Answers to a problem with similar directions are ${how}`,
        'How similar directions are says little about which answers to a problem are the same',
      )
    : 'All answers to a problem are the same, or all differ: directions tell none apart.';
  const earned = rewards
    ? testText(
        rewards,
        (how) => `Answers to a problem with similar directions earn ${how} rewards`,
        'How similar directions are says little about what answers to a problem earn',
      )
    : null;
  return [first, texted, earned].filter((text) => text !== null);
}

/** Explains the colours, and gives the share of the directions' variance in their plane. */
export const answerPlaneText = ({ answers, explained: [first, second] }: LatentAnswers): string =>
  'A mark has the colour of its direction, which is its angle in the plane of the two leading principal ' +
  `components; they hold ${percent(first + second)} of the variance of ` +
  `${plural(answers[0].latent.length, 'number')}.`;

/** Titles and rows of the table behind the directions. */
export const answerHead: readonly string[] = [
  'answer',
  'problem',
  'component 1',
  'component 2',
  'direction (°)',
  'reward',
  'text',
];
export const answerRows = ({ prompts, answers, texts }: LatentAnswers): readonly (readonly string[])[] =>
  answers.map(({ prompt, text, at, gold }, k) => [
    String(k + 1),
    prompts[prompt],
    rate(at[0]),
    rate(at[1]),
    count(directionOf(at)),
    number(gold),
    texts[prompt][text],
  ]);
