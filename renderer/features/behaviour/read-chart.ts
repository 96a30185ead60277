import type { Chart, Condition } from '../../../engine/schema/chart.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const texts = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every(isText) ? value : null;

export const comparisons = ['<', '<=', '=', '!=', '>=', '>'] as const satisfies readonly Condition['is'][];

const conditionOf = (value: unknown): Condition | null => {
  if (!isRecord(value)) return null;
  const { value: left, is, than, plus = 0 } = value;
  const sign = comparisons.find((each) => each === is);
  const isRight = isText(than) || typeof than === 'number';
  if (!isText(left) || !sign || !isRight || typeof plus !== 'number') return null;
  return { value: left, is: sign, than, plus };
};

const stateOf = (value: unknown): Chart['states'][number] | null => {
  if (!isRecord(value) || !isText(value.name) || !Array.isArray(value.when)) return null;
  const when = value.when.map(conditionOf).filter((each) => each !== null);
  return when.length === value.when.length ? { name: value.name, when } : null;
};

/**
 * A chart that a text holds as JSON, as far as a diagram needs it; null if it is none. The check of the
 * engine says what is wrong, and whether its states and observations are there.
 */
export function chartIn(text: string): Chart | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(read) || !isText(read.name) || !Array.isArray(read.states)) return null;
  const states = read.states.map(stateOf).filter((each) => each !== null);
  const [order, forbidden] = [texts(read.order), texts(read.forbidden ?? [])];
  if (states.length !== read.states.length || !order || !forbidden) return null;
  const within = typeof read.within === 'number' ? { within: read.within } : {};
  return { name: read.name, states, order: [...order], forbidden: [...forbidden], ...within };
}
