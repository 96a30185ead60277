import { isObject } from '../formats/record.ts';
import { names } from '../shapes/answers.ts';
import { ranksIn } from '../shapes/argilla.ts';
import { comparedIn } from '../shapes/label-studio.ts';
import { BadRecord, type RecordOf } from '../shapes/shape.ts';
import type { Verdict } from '../../schema/preference.ts';
import type { UnplacedLabel } from './file-label.ts';

type Label = Extract<UnplacedLabel, { readonly verdict: Verdict }>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Time in milliseconds of an ISO date or a number of milliseconds; null for anything else. */
export const timeOf = (value: unknown): number | null => {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) && time > 0 ? Math.floor(time) : null;
};
/** A labeler's name from a name, a number, or an object with one of them; null without any. */
export const nameOf = (value: unknown): string | null => {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.trim().slice(0, 80) || null;
  return isObject(value) ? nameOf(value.username ?? value.email ?? value.name ?? value.id) : null;
};

/** The prompt of an object of texts. */
const promptIn = (texts: RecordOf, where: string): string => {
  const column = names.prompt.find((name) => typeof texts[name] === 'string');
  if (column === undefined) throw new BadRecord(`has no prompt in "${where}"`);
  return column;
};

/** Label Studio's pairwise annotations: one label for each; a cancelled one is a skip. */
export function labelStudioLabels(record: RecordOf): Label[] {
  const { data } = record;
  if (!isObject(data)) throw new BadRecord('has no object in "data"');
  const prompt = promptIn(data, 'data');
  return listOf(record.annotations).flatMap((annotation) => {
    if (!isObject(annotation)) return [];
    const result = listOf(annotation.result).find((each) => isObject(each) && each.type === 'pairwise');
    const isSkipped = annotation.was_cancelled === true;
    if (!isObject(result) && !isSkipped) return [];
    const to = isObject(result) && typeof result.to_name === 'string' ? result.to_name.split(',') : [];
    const [left, right] = comparedIn(data, [{ compared: to.map((name) => name.trim()) }], prompt);
    const selected = isObject(result) && isObject(result.value) ? result.value.selected : undefined;
    const verdict = selected === 'left' ? 'a' : selected === 'right' ? 'b' : 'tie';
    return [
      {
        id: typeof data.pairId === 'string' ? data.pairId : null,
        prompt: String(data[prompt]),
        texts: [String(data[left]), String(data[right])],
        verdict: isSkipped ? 'skip' : verdict,
        labeler: nameOf(annotation.completed_by ?? data.labeler),
        at: timeOf(annotation.updated_at ?? annotation.created_at ?? data.labeledAt),
        rationale: '',
      },
    ];
  });
}

interface Response {
  readonly value: unknown;
  readonly labeler: string | null;
  readonly at: number | null;
  readonly isSkipped: boolean;
}

/** Responses of Argilla: `{question: [{value}]}` in version 2, `[{values: {question: {value}}}]` in 1. */
function responsesIn(record: RecordOf): Response[] {
  const responseOf = (response: RecordOf, value: unknown): Response => ({
    value,
    labeler: nameOf(response.user ?? response.user_id),
    at: timeOf(response.updated_at ?? response.inserted_at ?? record.updated_at),
    isSkipped: response.status === 'discarded',
  });
  if (isObject(record.responses))
    return Object.values(record.responses).flatMap((each) =>
      listOf(each).flatMap((one) => (isObject(one) ? [responseOf(one, one.value)] : [])),
    );
  return listOf(record.responses).flatMap((each) => {
    if (!isObject(each)) return [];
    const values = isObject(each.values) ? Object.values(each.values) : [];
    const answered = values.map((one) => responseOf(each, isObject(one) ? one.value : null));
    return answered.length > 0 ? answered : [responseOf(each, null)];
  });
}

/** Argilla's rankings: a label for every two answers of each response; a discarded one is a skip. */
export function argillaLabels(record: RecordOf): Label[] {
  const { fields, metadata } = record;
  if (!isObject(fields)) throw new BadRecord('has no object in "fields"');
  const prompt = promptIn(fields, 'fields');
  const answers = Object.keys(fields).filter((name) => name !== prompt && typeof fields[name] === 'string');
  const about = isObject(metadata) ? metadata : {};
  return responsesIn(record).flatMap(({ value, labeler, at, isSkipped }) => {
    const ranks = ranksIn(value, answers);
    if (ranks === null && !isSkipped) return [];
    const rankOf = (name: string): number => ranks?.get(name) ?? answers.length;
    return answers.flatMap((b, count) =>
      answers.slice(0, count).map((a): Label => {
        const lead = rankOf(b) - rankOf(a);
        return {
          id: answers.length === 2 && typeof record.id === 'string' ? record.id : null,
          prompt: String(fields[prompt]),
          texts: [String(fields[a]), String(fields[b])],
          verdict: isSkipped ? 'skip' : lead > 0 ? 'a' : lead < 0 ? 'b' : 'tie',
          labeler: labeler ?? nameOf(about.labeler),
          at: at ?? timeOf(about.labeledAt),
          rationale: '',
        };
      }),
    );
  });
}
