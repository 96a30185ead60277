/** The pattern of compact JSON that fits a schema. */
import { WhetstoneError } from '../../../common/errors.ts';
import { choice, exactly, optional, repeat, sequence, set, without, type Pattern } from './pattern.ts';

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that restrict nothing. */
const comments = ['$schema', '$id', 'title', 'description', 'default', 'examples', 'additionalProperties'];
/** Keywords by type. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  integer: [],
  number: [],
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required'],
};

const refuse = (where: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, hint });
};

const character = choice(
  set(
    ...without([
      [0, 0x1f],
      [0x22, 0x22],
      [0x5c, 0x5c],
      [0x7f, 0x9f],
      // halves of surrogate pairs are not characters
      [0xd800, 0xdfff],
    ]),
  ),
  sequence(exactly('\\'), choice(...[...'"\\/bfnrt'].map(exactly))),
);
const integer = sequence(
  optional(exactly('-')),
  choice(exactly('0'), sequence(set([0x31, 0x39]), repeat(set([0x30, 0x39]), 0))),
);
const number = sequence(integer, optional(sequence(exactly('.'), repeat(set([0x30, 0x39]), 1))));

/** A keyword's whole number from 0 up. */
const countOf = (schema: Schema, key: string, fallback: number, where: string): number => {
  const value = schema[key] ?? fallback;
  return typeof value === 'number' && (Number.isInteger(value) || value === Infinity) && value >= 0
    ? value
    : refuse(`${where}.${key}`, `'${key}' is a whole number from 0 up.`);
};

/** `of` repeated with separators; nothing matches if `most` is below `least`. */
const list = (of: Pattern, least: number, most: number): Pattern => {
  if (most < least) return set();
  if (most === 0) return sequence();
  const some = sequence(of, repeat(sequence(exactly(','), of), Math.max(0, least - 1), most - 1));
  return least === 0 ? optional(some) : some;
};

const objectOf = (schema: Schema, where: string): Pattern => {
  const properties = schema.properties ?? {};
  const required = schema.required ?? [];
  if (!isSchema(properties)) return refuse(`${where}.properties`, "'properties' is an object.");
  if (!Array.isArray(required)) return refuse(`${where}.required`, "'required' is a list of names.");
  const unknown = required.find((name) => !(String(name) in properties));
  if (unknown !== undefined)
    return refuse(`${where}.required`, `'${String(unknown)}' is required and not among the properties.`);
  const all = Object.entries(properties).map(([name, of]) => ({
    isNeeded: required.includes(name),
    pattern: sequence(exactly(`${JSON.stringify(name)}:`), schemaPattern(of, `${where}.properties.${name}`)),
  }));
  const comma = exactly(',');
  const after = (from: number) =>
    all.slice(from).map(({ isNeeded, pattern }) => {
      const next = sequence(comma, pattern);
      return isNeeded ? next : optional(next);
    });
  const first = all.findIndex(({ isNeeded }) => isNeeded);
  const body =
    first < 0
      ? optional(choice(...all.map(({ pattern }, at) => sequence(pattern, ...after(at + 1)))))
      : sequence(
          ...all.slice(0, first).map(({ pattern }) => optional(sequence(pattern, comma))),
          all[first].pattern,
          ...after(first + 1),
        );
  return sequence(exactly('{'), all.length === 0 ? sequence() : body, exactly('}'));
};

const typed = (schema: Schema, type: string, where: string): Pattern => {
  const known = keywords[type] ?? refuse(`${where}.type`, `There is no JSON type '${type}'.`);
  const other = Object.keys(schema).find((key) => ![...comments, ...known, 'type'].includes(key));
  if (other !== undefined)
    refuse(
      `${where}.${other}`,
      `Answers cannot be held to the keyword '${other}' while they are written.`,
      'Remove it from the grammar, and score it by a reward (match/json-schema).',
    );
  switch (type) {
    case 'string': {
      const [least, most] = [
        countOf(schema, 'minLength', 0, where),
        countOf(schema, 'maxLength', Infinity, where),
      ];
      const inner = most < least ? set() : repeat(character, least, most);
      return sequence(exactly('"'), inner, exactly('"'));
    }
    case 'integer':
      return integer;
    case 'number':
      return number;
    case 'boolean':
      return choice(exactly('true'), exactly('false'));
    case 'null':
      return exactly('null');
    case 'array': {
      const items = schemaPattern(
        schema.items ?? refuse(`${where}.items`, 'A list needs its items.'),
        `${where}.items`,
      );
      const [least, most] = [
        countOf(schema, 'minItems', 0, where),
        countOf(schema, 'maxItems', Infinity, where),
      ];
      return sequence(exactly('['), list(items, least, most), exactly(']'));
    }
    default:
      return objectOf(schema, where);
  }
};

/**
 * Compact JSON (no white space) that fits a schema: types, `properties` in the order of the schema and no
 * others, `required`, `items`, lengths, `enum`, `const` and `anyOf`. Throws `invalid-input` with the path of
 * any other keyword, since a grammar that ignored it would promise too much.
 */
export const schemaPattern = (schema: unknown, where: string): Pattern => {
  if (!isSchema(schema)) return refuse(where, 'A JSON Schema is an object.');
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values !== undefined)
    return Array.isArray(values)
      ? choice(...values.map((value) => exactly(JSON.stringify(value))))
      : refuse(`${where}.enum`, "'enum' is a list of values.");
  if (schema.anyOf !== undefined)
    return Array.isArray(schema.anyOf)
      ? choice(...schema.anyOf.map((one, at) => schemaPattern(one, `${where}.anyOf.${at}`)))
      : refuse(`${where}.anyOf`, "'anyOf' is a list of schemas.");
  const { type } = schema;
  if (Array.isArray(type)) return choice(...type.map((one) => typed(schema, String(one), where)));
  return typeof type === 'string'
    ? typed(schema, type, where)
    : refuse(where, 'The schema states no type, enum, const or anyOf.', 'Say what the answers are.');
};
