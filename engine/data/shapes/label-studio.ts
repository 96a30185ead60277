import { isObject } from '../formats/record.ts';
import { names, referenceText } from './answers.ts';
import { BadRecord, EmptyAnswer, type RecordOf, type Shape, type ShapedRow } from './shape.ts';

interface Choice {
  readonly selected: string;
  /** Names of the two compared items, left one first; empty if the export has none. */
  readonly compared: readonly string[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Pairwise results of the annotations that were not cancelled. */
const choicesIn = (record: RecordOf): Choice[] =>
  listOf(record.annotations).flatMap((annotation) => {
    if (!isObject(annotation) || annotation.was_cancelled === true) return [];
    return listOf(annotation.result).flatMap((result) => {
      if (!isObject(result) || result.type !== 'pairwise' || !isObject(result.value)) return [];
      const { to_name: to } = result;
      const compared = typeof to === 'string' ? to.split(',') : listOf(to).map(String);
      return [{ selected: String(result.value.selected), compared: compared.map((name) => name.trim()) }];
    });
  });

const usual = [
  ['answer1', 'answer2'],
  ['text1', 'text2'],
  ['response1', 'response2'],
  ['response_1', 'response_2'],
  ['left', 'right'],
  ['a', 'b'],
];

/** Columns of the compared texts: those that the results name, usual ones, or the only two. */
export const comparedIn = (
  data: RecordOf,
  choices: readonly Pick<Choice, 'compared'>[],
  prompt: string,
): readonly string[] => {
  const isThere = (pair: readonly string[]): boolean =>
    pair.length === 2 && pair.every((name) => name in data);
  const texts = Object.keys(data).filter((name) => name !== prompt && typeof data[name] === 'string');
  const pair = [...choices.map(({ compared }) => compared), ...usual, texts].find(isThere);
  if (pair) return pair;
  throw new BadRecord('has in "data" no two texts that the results of the task name');
};

/** Comparisons of two texts by people: a JSON export of Label Studio with its Pairwise control. */
export const labelStudio: Shape = {
  title: 'pairwise comparisons (Label Studio)',
  needs: '"data" with a prompt and two texts, and "annotations" with a "pairwise" result',
  matches: (record) => isObject(record.data) && Array.isArray(record.annotations),
  why: () =>
    '"data" holds a prompt and two answers, "annotations" which one was selected: two rows for each task, not ' +
    'marked where the annotators do not prefer one.',
  rows: (fields) => {
    const data = fields.value('data', 'prompt and answers');
    fields.value('annotations', 'right and wrong answer');
    if (!isObject(data)) throw new BadRecord('has no object in "data"');
    const choices = choicesIn(fields.record);
    const promptColumn = names.prompt.find((name) => typeof data[name] === 'string');
    if (promptColumn === undefined) throw new BadRecord('has no prompt in "data"');
    const compared = comparedIn(data, choices, promptColumn);
    const lead =
      choices.filter(({ selected }) => selected === 'left').length -
      choices.filter(({ selected }) => selected === 'right').length;
    return compared.map((name, side): ShapedRow => {
      const answer = data[name];
      if (typeof answer !== 'string' || answer.trim() === '')
        throw new EmptyAnswer(`has no answer in "${name}"`);
      const isPreferred = side === 0 ? lead > 0 : lead < 0;
      const rest = Object.entries(data).filter(
        ([key]) => ![promptColumn, 'reference', ...compared].includes(key),
      );
      return {
        prompt: String(data[promptColumn]),
        answer,
        reference: referenceText(data.reference),
        correct: lead === 0 ? null : isPreferred,
        source: name,
        extra: { ...Object.fromEntries(rest), annotations: fields.record.annotations },
      };
    });
  },
};
