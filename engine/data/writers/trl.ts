import { jsonLines } from './encodings/json.ts';
import { promptMessages } from './prompt-messages.ts';
import { decided, further, referenceColumn } from './ranked.ts';
import { stepsWritten } from './judged-steps.ts';
import type { AnswerItem, PairItem, RecordOf, RowItem, Writer, Written } from './writer.ts';

const common = { extension: '.jsonl', encoding: jsonLines };
const pairLoss = 'Who wrote each answer is left out, and columns in which the two answers differ.';

/** https://huggingface.co/docs/trl/dataset_formats: preference, standard, explicit prompt. */
export const trlPreference: Writer = {
  ...common,
  id: 'trl-preference',
  title: 'TRL preference',
  cannotHold: pairLoss,
  fromPair: decided(({ prompt, chosen, rejected, reference, about }) => ({
    prompt,
    chosen,
    rejected,
    ...referenceColumn(reference),
    ...about,
  })),
};

export const trlConversational: Writer = {
  ...common,
  id: 'trl-conversational',
  title: 'TRL preference, conversational',
  cannotHold: pairLoss,
  fromPair: decided(({ prompt, chosen, rejected, reference, about }) => ({
    prompt: promptMessages(prompt),
    chosen: [{ role: 'assistant', content: chosen }],
    rejected: [{ role: 'assistant', content: rejected }],
    ...referenceColumn(reference),
    ...about,
  })),
};

const completion = (prompt: string, answer: string, label: boolean, more: RecordOf): RecordOf => ({
  prompt,
  completion: answer,
  label,
  ...more,
});

const unpairedRow = ({ prompt, answer, reference, correct, source, extra = {} }: RowItem): Written => {
  if (correct === null) return { leftOut: 'answers that are not marked' };
  if (prompt.trim() === '' || answer.trim() === '') return { leftOut: 'rows without a prompt or an answer' };
  const author = source === '' ? {} : { source };
  return [
    completion(prompt, answer, correct, { ...referenceColumn(reference), ...author, ...further(extra) }),
  ];
};

const unpairedPair = ({ prompt, a, b, verdict, about }: PairItem): Written => {
  if (verdict === 'tie') return { leftOut: 'ties' };
  if (verdict === 'skip') return { leftOut: 'skipped pairs' };
  if (prompt.trim() === '' || a.trim() === '' || b.trim() === '')
    return { leftOut: 'pairs with an empty answer' };
  const more = further(about);
  return [completion(prompt, a, verdict === 'a', more), completion(prompt, b, verdict === 'b', more)];
};

const unpairedAnswer = ({ prompt, answer, judged, reference, about }: AnswerItem): Written => {
  if (judged.kind !== 'correctness') return { leftOut: 'answers that are not marked' };
  if (prompt.trim() === '' || answer.trim() === '') return { leftOut: 'rows without a prompt or an answer' };
  return [completion(prompt, answer, judged.correct, { ...referenceColumn(reference), ...further(about) })];
};

/** TRL's unpaired preference, for KTO: each answer by itself, marked true or false. */
export const trlUnpaired: Writer = {
  ...common,
  id: 'trl-unpaired',
  title: 'TRL unpaired preference',
  cannotHold: 'Conversations become texts, and of a pair it is left out which answers were compared.',
  fromRow: unpairedRow,
  fromPair: unpairedPair,
  fromAnswer: { modes: ['correctness'], write: unpairedAnswer },
};

const isSteps = (
  extra: RecordOf,
): extra is RecordOf & { steps: readonly string[]; stepLabels: readonly unknown[] } =>
  Array.isArray(extra.steps) && Array.isArray(extra.stepLabels);

/** The text between the steps with which they still make up the answer. */
const separatorOf = (steps: readonly string[], answer: string, own: unknown): string | undefined =>
  ['\n', '\n\n', typeof own === 'string' ? own : '\n'].find((separator) => steps.join(separator) === answer);

/** TRL's stepwise supervision. Each step needs a mark: the steps after the last marked one are left out. */
export const trlStepwise: Writer = {
  ...common,
  id: 'trl-stepwise',
  title: 'TRL stepwise supervision',
  cannotHold:
    'Steps after the first one without a mark are left out, and rows whose answer was edited after their steps were marked.',
  fromRow: ({ prompt, answer, reference, extra = {} }) => {
    if (!isSteps(extra)) return { leftOut: 'rows without marked steps' };
    const { steps, stepLabels, stepSeparator, ...others } = extra;
    const separator = separatorOf(steps, answer, stepSeparator);
    if (separator === undefined) return { leftOut: 'rows whose answer was edited apart from its steps' };
    const unknown = stepLabels.findIndex((label) => typeof label !== 'boolean');
    const count = unknown < 0 ? Math.min(steps.length, stepLabels.length) : unknown;
    if (count === 0) return { leftOut: 'rows without marked steps' };
    const marked = { completions: steps.slice(0, count), labels: stepLabels.slice(0, count) };
    const own = stepSeparator === separator ? { step_separator: separator } : {};
    return [{ prompt, ...marked, ...own, ...referenceColumn(reference), ...further(others) }];
  },
  fromAnswer: {
    modes: ['correctness'],
    write: stepsWritten('\n', ({ prompt, steps, firstWrong }) => ({
      prompt,
      completions: steps.slice(0, firstWrong < 0 ? undefined : firstWrong + 1),
      labels: steps
        .slice(0, firstWrong < 0 ? undefined : firstWrong + 1)
        .map((_step, at) => at !== firstWrong),
    })),
  },
};
