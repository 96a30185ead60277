import { isObject } from '../formats/record.ts';
import { names } from './answers.ts';
import { BadRecord, EmptyAnswer, type RecordOf, type Shape, type ShapedRow } from './shape.ts';

/** A rank for each answer's field, 1 is the best. */
type Ranks = ReadonlyMap<string, number>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Values of all responses: `{question: [{value}]}` in version 2, `[{values: {question: {value}}}]` in 1. */
const responsesIn = (record: RecordOf): readonly unknown[] =>
  isObject(record.responses)
    ? Object.values(record.responses).flatMap((each) =>
        listOf(each).map((one) => (isObject(one) ? one.value : null)),
      )
    : listOf(record.responses).flatMap((each) =>
        isObject(each) && isObject(each.values)
          ? Object.values(each.values).map((one) => (isObject(one) ? one.value : null))
          : [],
      );

/** A ranking as an ordered list of fields, as `[{value, rank}]`, or as the one chosen field. */
export const ranksIn = (value: unknown, fields: readonly string[]): Ranks | null => {
  const items = typeof value === 'string' ? [value] : listOf(value);
  const ranks = items.map((item, i): readonly [string, number] =>
    isObject(item) ? [String(item.value), Number(item.rank)] : [String(item), i + 1],
  );
  const known = ranks.filter(([name, rank]) => fields.includes(name) && Number.isFinite(rank));
  return known.length > 0 && known.length === ranks.length ? new Map(known) : null;
};

/** Mean rank of each answer over all rankings; an answer that a ranking does not name comes last. */
const meanRanks = (rankings: readonly Ranks[], answers: readonly string[]): readonly number[] =>
  answers.map(
    (name) => rankings.reduce((sum, ranks) => sum + (ranks.get(name) ?? answers.length), 0) / rankings.length,
  );

/** Rankings of several answers by people: records of Argilla, versions 1 and 2. */
export const argilla: Shape = {
  title: 'ranked answers (Argilla)',
  needs: '"fields" with a prompt and several texts, and "responses" that rank them',
  matches: (record) => isObject(record.fields) && 'responses' in record,
  why: () =>
    '"fields" holds a prompt and answers, "responses" rank them: one row for each answer, the best as right, the ' +
    'others as wrong, with their ranks.',
  rows: (fields) => {
    const texts = fields.value('fields', 'prompt and answers');
    fields.value('responses', 'right and wrong answers');
    if (!isObject(texts)) throw new BadRecord('has no object in "fields"');
    const promptColumn =
      names.prompt.find((name) => typeof texts[name] === 'string') ?? Object.keys(texts)[0];
    const answers = Object.keys(texts).filter(
      (name) => name !== promptColumn && typeof texts[name] === 'string',
    );
    if (answers.length < 2) throw new BadRecord('has in "fields" fewer than two answers');
    const rankings = responsesIn(fields.record)
      .map((value) => ranksIn(value, answers))
      .filter((ranks) => ranks !== null);
    const ranks = rankings.length === 0 ? null : meanRanks(rankings, answers);
    const best = ranks && Math.min(...ranks);
    const isDecided = ranks !== null && ranks.some((rank) => rank !== best);
    return answers.map((name, i): ShapedRow => {
      const answer = String(texts[name]);
      if (answer.trim() === '') throw new EmptyAnswer(`has no answer in "${name}"`);
      const prompt = String(texts[promptColumn]);
      return {
        prompt,
        answer,
        reference: null,
        correct: isDecided ? ranks[i] === best : null,
        source: name,
        extra: { ...(ranks && { rank: ranks[i] }), responses: fields.record.responses },
      };
    });
  },
};
