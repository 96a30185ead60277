import { readNumber } from '../../../../engine/common/number-text.ts';
import { humanize } from '../../../lib/format.ts';

/**
 * A form field, made from a JSON Schema (draft 2020-12) as zod writes it. `path` leads to its value in the
 * edited object.
 */
interface Base {
  readonly path: readonly string[];
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly fallback: unknown;
  readonly required: boolean;
}
export interface NumberField extends Base {
  readonly kind: 'number';
  readonly integer: boolean;
  readonly low: number | null;
  readonly high: number | null;
  readonly openLow: boolean;
  readonly openHigh: boolean;
  /** What it is a share of its group for. */
  readonly part?: string;
}
/** `format` is the language of a text that is code. */
export interface TextField extends Base {
  readonly kind: 'text';
  readonly format?: string;
}
export interface ChoiceField extends Base {
  readonly kind: 'choice';
  readonly options: readonly string[];
}
export interface SwitchField extends Base {
  readonly kind: 'switch';
}
export interface GroupField extends Base {
  readonly kind: 'group';
  readonly fields: readonly Field[];
  /** What is left by those of its fields that are shares of one whole. */
  readonly rest?: string;
}
/** An object whose `tag` names its variant. */
export interface UnionField extends Base {
  readonly kind: 'union';
  readonly tag: string;
  /** What the choice of no variant is called, where that is not the variant `none`. */
  readonly blank?: string;
  readonly options: readonly {
    readonly value: string;
    readonly hint: string;
    readonly fields: readonly Field[];
  }[];
}
/** A registry entry with its parameters, `{ id, params }`, and the other fields of the object. */
export interface NamedField extends Base {
  readonly kind: 'named';
  readonly fields: readonly Field[];
  readonly nullable: boolean;
}
export interface ListField extends Base {
  readonly kind: 'list';
  readonly item: (index: number) => Field;
}
/** Values without a control of their own are edited as JSON. */
export interface JsonField extends Base {
  readonly kind: 'json';
}
export type Field =
  | NumberField
  | TextField
  | ChoiceField
  | SwitchField
  | GroupField
  | UnionField
  | NamedField
  | ListField
  | JsonField;

type Schema = { readonly [key: string]: unknown };
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numeric = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;

/**
 * Fields of an object schema, in its own order; constants and `null`s have none. Consecutive ones that name
 * the same `group` are shown as one.
 */
export function fieldsOf(schema: Schema, path: readonly string[] = [], root: Schema = schema): Field[] {
  const required = new Set(list(schema.required));
  const fields: Field[] = [];
  for (const [key, property] of Object.entries(isSchema(schema.properties) ? schema.properties : {})) {
    const field = isSchema(property) ? fieldOf(property, [...path, key], required.has(key), root) : null;
    if (!field || !isSchema(property)) continue;
    const { group: label, rest } = property;
    const before = fields.at(-1);
    if (typeof label !== 'string') fields.push(field);
    else if (before?.kind === 'group' && before.key === label)
      fields.splice(-1, 1, { ...before, fields: [...before.fields, field] });
    else
      fields.push({ ...together(label, path), fields: [field], ...(typeof rest === 'string' && { rest }) });
  }
  return fields;
}

/** A group that is no object of its own: its fields lie at the path around it. */
const together = (label: string, path: readonly string[]) =>
  ({ kind: 'group', path, key: label, label, hint: '', fallback: undefined, required: false }) as const;

/** One field, or null if there is nothing to choose (a constant, `null`). */
export function fieldOf(
  given: Schema,
  path: readonly string[],
  required = false,
  root: Schema = given,
): Field | null {
  const schema = resolve(given, root);
  const key = path[path.length - 1] ?? '';
  const base: Base = {
    path,
    key,
    label: humanize(key),
    hint: typeof schema.description === 'string' ? schema.description : '',
    fallback: schema.default,
    required,
  };
  if ('const' in schema || schema.type === 'null') return null;
  const variants = list(schema.oneOf ?? schema.anyOf)
    .filter(isSchema)
    .map((variant) => resolve(variant, root));
  if (variants.length) return variantField(base, variants, root);
  if (Array.isArray(schema.enum)) return { ...base, kind: 'choice', options: schema.enum.map(String) };
  switch (schema.type) {
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        integer: schema.type === 'integer',
        low: numeric(schema.minimum ?? schema.exclusiveMinimum),
        high: numeric(schema.maximum ?? schema.exclusiveMaximum),
        openLow: 'exclusiveMinimum' in schema,
        openHigh: 'exclusiveMaximum' in schema,
        ...(typeof schema.part === 'string' && { part: schema.part }),
      };
    case 'boolean':
      return { ...base, kind: 'switch' };
    case 'string':
      return { ...base, kind: 'text', ...(schema.format === 'javascript' && { format: schema.format }) };
    case 'array': {
      const items = isSchema(schema.items) ? schema.items : {};
      return {
        ...base,
        kind: 'list',
        item: (index) => itemOf(base, fieldOf(items, [...path, String(index)], true, root), index),
      };
    }
    case 'object':
      return objectField(base, schema, false, root);
    default:
      return { ...base, kind: 'json' };
  }
}

/** An item of a list; one with several fields is called as the list is: an evaluation of the evaluations. */
function itemOf(list: Base, field: Field | null, index: number): Field {
  if (!field) return { ...list, path: [...list.path, String(index)], kind: 'json' };
  return field.kind === 'group' ? { ...field, label: list.label.replace(/s$/, '') } : field;
}

function resolve(schema: Schema, root: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  const found = schema.$ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root);
  return isSchema(found) ? { ...found, ...schema, $ref: undefined } : {};
}

function objectField(base: Base, schema: Schema, nullable: boolean, root: Schema): Field {
  const properties = isSchema(schema.properties) ? schema.properties : null;
  if (!properties) return { ...base, kind: 'json' };
  const fields = fieldsOf(schema, base.path, root);
  if ('id' in properties && 'params' in properties)
    return {
      ...base,
      kind: 'named',
      // an optional one can be taken back
      nullable: nullable || (!base.required && base.fallback === undefined),
      fields: fields.filter(({ key }) => key !== 'id' && key !== 'params'),
    };
  return { ...base, kind: 'group', fields };
}

function variantField(base: Base, variants: readonly Schema[], root: Schema): Field | null {
  const solid = variants.filter(({ type }) => type !== 'null');
  if (solid.length === 1) {
    const field = fieldOf(solid[0], base.path, base.required, root);
    return (
      field && {
        ...field,
        hint: base.hint || field.hint,
        fallback: base.fallback ?? field.fallback,
        ...(field.kind === 'named' && { nullable: variants.length > 1 }),
      }
    );
  }
  const tag = Object.keys(isSchema(solid[0]?.properties) ? solid[0].properties : {}).find((name) =>
    solid.every(
      ({ properties }) =>
        isSchema(properties) && isSchema(properties[name]) && 'const' in (properties[name] as Schema),
    ),
  );
  if (!tag) return { ...base, kind: 'json' };
  return {
    ...base,
    kind: 'union',
    tag,
    options: solid.map((variant) => ({
      value: String(((variant.properties as Schema)[tag] as Schema).const),
      hint: typeof variant.description === 'string' ? variant.description : '',
      fields: fieldsOf(variant, base.path, root),
    })),
  };
}

/** The smallest value with the field's shape: tags of unions, and required objects. */
export function initial(field: Field): unknown {
  if (field.kind === 'union') return initialOption(field, field.options[0]?.value ?? '');
  if (field.kind === 'group')
    return Object.fromEntries(
      field.fields
        .filter(({ required }) => required)
        .flatMap((each) => {
          const value = initial(each);
          return value === undefined ? [] : [[each.key, value]];
        }),
    );
  if (field.kind === 'named') return { id: '' };
  return undefined;
}

export function initialOption(field: UnionField, value: string): Record<string, unknown> {
  const option = field.options.find((each) => each.value === value);
  const inner = (option?.fields ?? [])
    .filter(({ required }) => required)
    .map((each): [string, unknown] => [each.key, initial(each)])
    .filter(([, each]) => each !== undefined);
  return { [field.tag]: value, ...Object.fromEntries(inner) };
}

export type Parsed =
  | { readonly ok: true; readonly value: number | undefined }
  | { readonly ok: false; readonly message: string };

/**
 * Parses the text of a number field: undefined for the default if empty, a number within its range, or an
 * error message.
 */
export const parseNumber = (field: NumberField, text: string): Parsed =>
  text.trim() === '' ? { ok: true, value: undefined } : readNumber(text, field);
