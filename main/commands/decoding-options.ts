/** The flags that truncate, constrain, guide and steer sampling. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { EngineCalls } from '../../engine/schema/messages.ts';
import { number, text, type Values } from './command.ts';

const string = { type: 'string' } as const;
export const decodingOptions = {
  'top-k': string,
  'top-p': string,
  'min-p': string,
  pattern: string,
  'json-schema': string,
  guide: string,
  'guide-weight': string,
  'guide-how': string,
  draft: string,
  branching: string,
  'steer-toward': { type: 'string', multiple: true },
  'steer-away': { type: 'string', multiple: true },
  'steer-layer': string,
  'steer-strength': string,
} satisfies ParseArgsOptionsConfig;

type Asked = Pick<EngineCalls['generate']['input'], 'decoding' | 'guide' | 'draft'>;

/** The JSON object of a flag. */
function schemaOf(written: string): Record<string, unknown> {
  const refusal = (cause?: unknown) =>
    new WhetstoneError('invalid-input', '--json-schema is not a JSON object.', {
      where: '--json-schema',
      hint: 'For example {"type": "array", "items": {"type": "integer"}}.',
      cause,
    });
  try {
    const schema: unknown = JSON.parse(written);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
      return schema as Record<string, unknown>;
  } catch (error) {
    throw refusal(error);
  }
  throw refusal();
}

function grammarOf(values: Values): Pick<NonNullable<Asked['decoding']>, 'grammar'> {
  const [pattern, schema] = [values.pattern, values['json-schema']];
  if (pattern !== undefined && schema !== undefined)
    throw new WhetstoneError('invalid-input', 'An answer follows one grammar.', {
      where: '--pattern, --json-schema',
      hint: 'Give one of the two.',
    });
  if (pattern !== undefined) return { grammar: { kind: 'pattern', pattern: text(values, 'pattern') } };
  return schema === undefined
    ? {}
    : { grammar: { kind: 'json-schema', schema: schemaOf(text(values, 'json-schema')) } };
}

function guideOf(values: Values): Pick<Asked, 'guide'> {
  const how = text(values, 'guide-how', 'mix');
  if (how !== 'mix' && how !== 'add' && how !== 'cap')
    throw new WhetstoneError('invalid-input', `--guide-how ${how} is neither mix, add nor cap.`, {
      where: '--guide-how',
    });
  const weight = number(values, 'guide-weight', { fallback: 1, least: -100, most: 100 });
  if (values.guide !== undefined) return { guide: { folder: resolve(text(values, 'guide')), how, weight } };
  const without = ['guide-weight', 'guide-how'].find((flag) => values[flag] !== undefined);
  if (without !== undefined)
    throw new WhetstoneError('invalid-input', `--${without} has no effect without --guide.`, {
      where: `--${without}`,
      hint: 'Name the folder of the second model: --guide DIR.',
    });
  return {};
}

/** A draft model, with the children of each node of its trees, level by level. */
function draftOf(values: Values): Pick<Asked, 'draft'> {
  if (values.draft === undefined) {
    if (values.branching === undefined) return {};
    throw new WhetstoneError('invalid-input', '--branching has no effect without --draft.', {
      where: '--branching',
      hint: 'Name the folder of the draft model: --draft DIR.',
    });
  }
  const branching = text(values, 'branching', '3,2,1').split(',').map(Number);
  if (
    !branching.every((count) => Number.isInteger(count) && count >= 1 && count <= 64) ||
    branching.length > 16
  )
    throw new WhetstoneError('invalid-input', '--branching is a list of numbers from 1 to 64.', {
      where: '--branching',
      hint: 'For example 3,2,1: three drafts of the next token, two after each of them, then one.',
    });
  return { draft: { folder: resolve(text(values, 'draft')), branching } };
}

/** Steering from the texts of one flag to those of the other: answers to an empty prompt. */
function steeringOf(values: Values): Pick<NonNullable<Asked['decoding']>, 'steering'> {
  const texts = (flag: 'steer-toward' | 'steer-away') =>
    [values[flag] ?? []].flat().map((answer) => ({ prompt: '', answer: String(answer) }));
  const [toward, away] = [texts('steer-toward'), texts('steer-away')];
  const flags = ['steer-toward', 'steer-away', 'steer-layer', 'steer-strength'] as const;
  if (flags.every((flag) => values[flag] === undefined)) return {};
  const layer = number(values, 'steer-layer', { fallback: 0, least: 0, most: 1000, whole: true });
  const strength = number(values, 'steer-strength', { fallback: 1, least: -1000, most: 1000 });
  const missing = toward.length === 0 ? 'steer-toward' : away.length === 0 ? 'steer-away' : undefined;
  if (missing)
    throw new WhetstoneError('invalid-input', `Steering needs a text of --${missing}.`, {
      where: `--${missing}`,
      hint: 'A direction leads from the texts of --steer-away to those of --steer-toward.',
    });
  return { steering: { kind: 'texts', layer, strength, toward, away } };
}

/** What the flags ask for. Throws `invalid-input` with the flag of a bad value. */
export function decodingFrom(values: Values): Asked {
  const whole = { least: 1, most: 1_000_000, whole: true } as const;
  const decoding = {
    ...(values['top-k'] !== undefined && { topK: number(values, 'top-k', { fallback: 1, ...whole }) }),
    ...(values['top-p'] !== undefined && {
      topP: number(values, 'top-p', { fallback: 1, least: 0, openLeast: true, most: 1 }),
    }),
    ...(values['min-p'] !== undefined && {
      minP: number(values, 'min-p', { fallback: 0, least: 0, most: 0.999999 }),
    }),
    ...grammarOf(values),
    ...steeringOf(values),
  };
  return { ...(Object.keys(decoding).length > 0 && { decoding }), ...guideOf(values), ...draftOf(values) };
}
