import { jsonLines } from './encodings/json.ts';
import { promptMessages } from './prompt-messages.ts';
import { decided, further, referenceColumn } from './ranked.ts';
import type { PairItem, RecordOf, RowItem, Writer, Written } from './writer.ts';

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

/** TRL's unpaired preference, for KTO: each answer by itself, marked true or false. */
export const trlUnpaired: Writer = {
  ...common,
  id: 'trl-unpaired',
  title: 'TRL unpaired preference',
  cannotHold: 'Conversations become texts, and of a pair it is left out which answers were compared.',
  fromRow: unpairedRow,
  fromPair: unpairedPair,
};

const isSteps = (extra: RecordOf): extra is { steps: readonly string[]; stepLabels: readonly unknown[] } =>
  Array.isArray(extra.steps) && Array.isArray(extra.stepLabels);

/** Whether the steps still make up the answer, joined as the shapes of files join them. */
const areStepsOf = (steps: readonly string[], answer: string): boolean =>
  steps.join('\n') === answer || steps.join('\n\n') === answer;

/** TRL's stepwise supervision. Each step needs a mark: the steps after the last marked one are left out. */
export const trlStepwise: Writer = {
  ...common,
  id: 'trl-stepwise',
  title: 'TRL stepwise supervision',
  cannotHold:
    'Steps after the first one without a mark are left out, and rows whose answer was edited after their steps were marked.',
  fromRow: ({ prompt, answer, reference, extra = {} }) => {
    if (!isSteps(extra)) return { leftOut: 'rows without marked steps' };
    const { steps, stepLabels, ...others } = extra;
    if (!areStepsOf(steps, answer)) return { leftOut: 'rows whose answer was edited apart from its steps' };
    const unknown = stepLabels.findIndex((label) => typeof label !== 'boolean');
    const count = unknown < 0 ? Math.min(steps.length, stepLabels.length) : unknown;
    if (count === 0) return { leftOut: 'rows without marked steps' };
    const marked = { completions: steps.slice(0, count), labels: stepLabels.slice(0, count) };
    return [{ prompt, ...marked, ...referenceColumn(reference), ...further(others) }];
  },
};
