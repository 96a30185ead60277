import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { guardedPattern } from './guarded-pattern.ts';
import { BadReference, defineMatch, each, lastBlock, shown } from './match.ts';

const params = z.strictObject({
  schema: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('One JSON Schema for all answers. Empty: each problem’s reference is its schema.'),
});

// patterns of a schema come from users too
const regExp = Object.assign((source: string, flags: string) => guardedPattern(source, flags), {
  code: 'undefined',
});
// inherited members (`toString`) are not properties of an answer
const options = {
  strict: false,
  ownProperties: true,
  validateFormats: false,
  logger: false,
  code: { regExp },
} as const;

/**
 * Compiled with the draft that `$schema` names: 2020-12, else draft-07. Nothing is fetched: a reference to
 * another document does not compile.
 */
const compiled = (schema: object): ValidateFunction => {
  const draft = '$schema' in schema && String(schema.$schema).includes('2020-12') ? Ajv2020 : Ajv;
  try {
    return new draft(options).compile(schema);
  } catch (error) {
    if (error instanceof BadReference) throw error;
    throw new BadReference(`is not a JSON Schema (${(error as Error).message})`);
  }
};

const objectOf = (text: string): object => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new BadReference(`is not JSON (${(error as SyntaxError).message})`);
  }
  throw new BadReference(`is not a JSON object: ${shown(text)}`);
};

/** JSON that matches a schema. */
export const jsonSchema = defineMatch({
  id: 'match/json-schema',
  title: 'JSON of a schema',
  summary:
    'Right where the answer (its last fenced block, else all of it) is JSON that fits the schema: one for ' +
    'all, or each problem’s reference.',
  params,
  reads: (reference, { schema }) => compiled(Object.keys(schema).length > 0 ? schema : objectOf(reference)),
  judge: each((fits: ValidateFunction, answer) => {
    try {
      return fits(JSON.parse(lastBlock(answer))) === true;
    } catch (error) {
      // not JSON, or nested too deeply for either side
      if (error instanceof SyntaxError || error instanceof RangeError) return false;
      throw error;
    }
  }),
});
