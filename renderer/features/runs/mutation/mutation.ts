/** Operators, counts and words of mutation data. */
import type { ShowableAnswers } from '../../../../preload/contract/answers.ts';
import type { Run } from '../../../../preload/contract/runs.ts';
import { count, plural } from '../../../lib/format.ts';
import { href } from '../../../lib/router.svelte.ts';

type Counted = Extract<ShowableAnswers, { state: 'done' }>;

/** How many attempts a prompt shows, and by which templates. */
export interface MutationSettings {
  readonly attempts: number;
  readonly shown: string;
  readonly attempt: string;
}

/** As the preset `words` of the methods that show attempts. */
const worded = {
  shown: '{prompt}\n\nEarlier answers:\n{attempts}\nA better answer:\n',
  attempt: '- {attempt}\n',
};
/** Attempts shown by a run that has no such number itself. */
const SHOWN = 3;

/** The attempts that a row shows unless another number is chosen. */
export function attemptsShown({ spec }: Pick<Run, 'spec'>): number {
  const { shows, attempts } = spec?.method.params ?? {};
  return [shows, attempts].find((each) => typeof each === 'number') ?? SHOWN;
}

/**
 * How the rows of a run show attempts: as its own method does, else in words to a pretrained model, else by
 * `marked`, a template that the answers have the characters for.
 */
export function mutationSettings(
  { spec }: Pick<Run, 'spec'>,
  { marked, isPretrained }: { readonly marked: string; readonly isPretrained: boolean },
): MutationSettings {
  const { shown, attempt } = spec?.method.params ?? {};
  const attempts = attemptsShown({ spec });
  return typeof shown === 'string' && typeof attempt === 'string'
    ? { attempts, shown, attempt }
    : {
        attempts,
        ...(isPretrained ? worded : { shown: '{prompt}{attempts}', attempt: marked }),
      };
}

/** The operators that make two rows of each prompt: with attempts, and plain. */
export const mutationOperators = (settings: MutationSettings, fallback: boolean) => [
  { id: 'show', params: { ...settings, fallback, keep: true } },
];

/** Numbers of prompts by the answer that they would learn, and of rows. */
export interface MutationCounts {
  readonly sampled: number;
  readonly reference: number;
  /** Without an answer to learn. */
  readonly unsolved: number;
  /** With fewer answers than a row shows. */
  readonly few: number;
  /** Rows that show attempts. */
  readonly rows: number;
}

/** The counts for rows that show so many attempts; a prompt makes a row of each so many answers. */
export function mutationCounts(
  prompts: Counted['prompts'],
  attempts: number,
  fallback: boolean,
): MutationCounts {
  const sum = (some: Counted['prompts'], by = (_each: Counted['prompts'][number]) => 1) =>
    some.reduce((total, each) => total + each.prompts * by(each), 0);
  const enough = prompts.filter(({ answers }) => answers >= attempts);
  const of = (target: string) => enough.filter((each) => each.target === target);
  const learned = [...of('sampled'), ...(fallback ? of('reference') : [])];
  return {
    sampled: sum(of('sampled')),
    reference: sum(of('reference')),
    unsolved: sum(of('none')),
    few: sum(prompts) - sum(enough),
    rows: sum(learned, ({ answers }) => Math.floor(answers / attempts)),
  };
}

/** The counts in lines, those that are not zero. */
export const countLines = (
  { sampled, reference, unsolved, few }: MutationCounts,
  attempts: number,
  fallback: boolean,
): readonly string[] => [
  `${plural(sampled, 'prompt')} with a right sampled answer`,
  ...(reference > 0
    ? [`${plural(reference, 'prompt')} with the task’s reference answer alone${fallback ? '' : ', left out'}`]
    : []),
  ...(unsolved > 0 ? [`${plural(unsolved, 'prompt')} without either, left out`] : []),
  ...(few > 0 ? [`${plural(few, 'prompt')} with fewer than ${plural(attempts, 'answer')}, left out`] : []),
];

/** True for a search at test time, whose answers are all to held-out problems. */
export const searchesHeldOut = ({ method }: Pick<Run, 'method'>): boolean => /^search\b/.test(method);

/** What saving makes, in words. */
export const rowsText = ({ rows }: MutationCounts): string =>
  `${plural(rows, 'row')} that show${rows === 1 ? 's' : ''} attempts, and ${count(rows)} with the plain prompt`;

/** The launch form with SFT on the rows, from where the run began. */
export function trainOn(datasetId: string, { spec }: Pick<Run, 'spec'>): string {
  const policy = spec?.models.policy;
  return href(['runs', 'new'], {
    method: 'sft',
    dataset: datasetId,
    checkpoint: policy?.kind === 'checkpoint' ? policy.checkpointId : undefined,
    model: policy?.kind === 'model' ? policy.modelId : undefined,
    ...(policy?.kind === 'new' && { policy: 'new', set: JSON.stringify({ 'models.policy': policy }) }),
  });
}
