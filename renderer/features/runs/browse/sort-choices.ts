import { sampleNumbers, scoreName } from '../../../../preload/wire/sample-query.ts';

/** An order of answers, as a query names its number. */
export interface SortChoice {
  readonly by: string;
  readonly title: string;
}

const titles: Readonly<Record<(typeof sampleNumbers)[number], string>> = {
  step: 'step',
  attempt: 'attempt',
  sample: 'sample number',
  length: 'length in tokens',
  promptlength: 'length of the prompt',
  logp: 'log-probability',
  meanlogp: 'log-probability per token',
  temperature: 'temperature',
  given: 'length of its given beginning',
  back: 'lines cut back',
};

/** Numbers by which answers with these scores are ordered. */
export const sortChoices = (scores: readonly string[]): readonly SortChoice[] => [
  ...scoreChoices(scores),
  ...sampleNumbers.filter((by) => by !== 'attempt').map((by) => ({ by, title: titles[by] })),
];

/** Scores that can be compared with one another. */
export const scoreChoices = (scores: readonly string[]): readonly SortChoice[] =>
  scores
    .filter((name) => !name.endsWith('/failed'))
    .map((name) => ({ by: scoreName(name), title: name === 'total' ? 'reward (total)' : name }));
