import type { ErrorFacts } from '../../../../engine/common/errors.ts';
import { within } from '../../../../engine/common/number-text.ts';
import { listItems } from '../../../../engine/common/sweep.ts';
import type { FormContext } from './context.ts';
import { fieldsOf, parseNumber } from './fields.ts';
import type { Field, JsonField, NamedField, NumberField, TextField, UnionField } from './fields.ts';

/** A field with an invalid value. `removable`: it has no control, so the value can only be removed. */
export interface FieldFault {
  readonly path: readonly string[];
  readonly label: string;
  readonly message: string;
  readonly hint?: string;
  readonly removable?: boolean;
}

export type Holder = Pick<FormContext, 'draft' | 'suggested' | 'choices' | 'registry' | 'takesLists'>;

/**
 * The draft's value for the text of a number field: its number, or the text itself if it does not parse;
 * undefined if blank.
 */
export const draftNumber = (field: NumberField, text: string): number | string | undefined => {
  const parsed = parseNumber(field, text);
  return parsed.ok ? parsed.value : text;
};

/** The draft's value for the text of a JSON field. */
export const draftJson = (text: string): unknown => {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** The text of a JSON value in its control. */
export const jsonText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The chosen variant of a union, or that of its default. */
export const tagOf = (field: UnionField, { draft }: Pick<Holder, 'draft'>): string =>
  String(
    draft.get([...field.path, field.tag]) ??
      (field.fallback as Record<string, unknown> | undefined)?.[field.tag] ??
      '',
  );

/** The fields of a union's chosen variant. A variant with `id` and `params` becomes a named field. */
export function fieldsOfUnion(field: UnionField, tag: string): readonly Field[] {
  const fields = field.options.find(({ value }) => value === tag)?.fields ?? [];
  const isNamed = ['id', 'params'].every((name) => fields.some(({ key }) => key === name));
  if (!isNamed) return fields;
  const others = fields.filter(({ key }) => key !== 'id' && key !== 'params');
  return [
    {
      ...field,
      kind: 'named',
      nullable: false,
      label: tag,
      hint: '',
      fallback: undefined,
      required: true,
      fields: others,
    },
  ];
}

/** The other fields of a named field, and the parameters of its registry entry. */
export function fieldsOfNamed(field: NamedField, form: Holder): readonly Field[] {
  const id = form.draft.get([...field.path, 'id']);
  const entry = form.registry(field.path).find((each) => each.id === id);
  return entry ? [...field.fields, ...fieldsOf(entry.params, [...field.path, 'params'])] : [];
}

/** Parameters of the method that are shown among the main fields of the form. */
export const mainFieldsOf = (
  field: NamedField,
  form: Holder & { readonly method?: { readonly main: readonly string[] } },
): readonly Field[] => {
  const all = fieldsOfNamed(field, form);
  return (form.method?.main ?? []).flatMap((key) => all.find((each) => each.key === key) ?? []);
};

export const labelOfNamed = ({ key, label, path }: NamedField): string => {
  const isItem = Number.isInteger(Number(key));
  return isItem
    ? path.includes('controllers')
      ? 'Controller'
      : 'Scorer'
    : label.charAt(0).toUpperCase() + label.slice(1);
};

/** The fields shown below a field, given the draft. */
function innerOf(field: Field, form: Holder): readonly Field[] {
  switch (field.kind) {
    case 'group':
      return field.fields;
    case 'union':
      return fieldsOfUnion(field, tagOf(field, form));
    case 'named':
      return fieldsOfNamed(field, form);
    case 'list': {
      const items = form.draft.get(field.path);
      return Array.isArray(items) ? items.map((_, index) => field.item(index)) : [];
    }
    default:
      return [];
  }
}

/** Every field on the screen, with a unique label. */
export function* shownFields(
  fields: readonly Field[],
  form: Holder,
  trail = '',
): Generator<{ readonly field: Field; readonly label: string }> {
  for (const field of fields) {
    const isItem = Number.isInteger(Number(field.key));
    const name =
      `${field.kind === 'named' ? labelOfNamed(field) : field.label}${isItem ? ` ${Number(field.key) + 1}` : ''}`.trim();
    const label = trail === '' || (isItem && field.kind === 'named') ? name : `${trail} › ${name}`;
    yield { field, label };
    yield* shownFields(
      innerOf(field, form),
      form,
      field.kind === 'list' || field.key === 'method' ? trail : label,
    );
  }
}

const GONE = 'is no longer available. Choose another.';

/** The error of a field's own value, without its inner fields; null if it is valid. */
export function faultOf(field: Field, form: Holder): string | null {
  const value = form.draft.get(field.path);
  const isMissing =
    value === undefined &&
    field.required &&
    field.fallback === undefined &&
    form.suggested(field.path) === undefined;
  switch (field.kind) {
    case 'number':
      return isMissing ? 'a number is missing' : numberFault(field, value, form.takesLists ?? false);
    case 'text':
      return textFault(field, value, isMissing, form);
    case 'choice':
      return value === undefined || value === ''
        ? choose(isMissing || value === '')
        : field.options.includes(String(value))
          ? null
          : `“${String(value)}” ${GONE}`;
    case 'switch':
      return isMissing
        ? 'Choose one.'
        : value === undefined || typeof value === 'boolean'
          ? null
          : 'must be on or off';
    case 'json':
      return jsonFault(field, value);
    case 'union': {
      const tag = tagOf(field, form);
      return tag === ''
        ? choose(field.required)
        : field.options.some((option) => option.value === tag)
          ? null
          : `“${tag}” ${GONE}`;
    }
    case 'named':
      return namedFault(field, value, form);
    case 'list':
    case 'group':
      return null;
  }
}

const choose = (required: boolean): string | null => (required ? 'Choose one.' : null);

function numberFault(field: NumberField, value: unknown, takesLists: boolean): string | null {
  if (value === undefined || value === null) return null;
  const items = takesLists && typeof value === 'string' ? listItems(value) : null;
  if (items)
    return items.map((item) => numberFault(field, item, false)).find((each) => each !== null) ?? null;
  const read = typeof value === 'number' ? within(value, field) : parseNumber(field, String(value));
  if (!read.ok) return read.message;
  return read.value === undefined ? 'a number is missing' : null;
}

function textFault(field: TextField, value: unknown, isMissing: boolean, form: Holder): string | null {
  const choices = form.choices(field.key, field.path);
  if (isMissing || (field.required && value === '')) return choices ? 'Choose one.' : 'is missing';
  if (value === undefined || !choices) return null;
  return choices.some((choice) => choice.value === value)
    ? null
    : 'The choice is no longer available. Choose another.';
}

/** A text in a JSON field is one that did not parse; valid values are objects, lists and numbers. */
function jsonFault({ required, fallback }: JsonField, value: unknown): string | null {
  if (value === undefined) return required && fallback === undefined ? 'is missing' : null;
  if (typeof value !== 'string') return null;
  try {
    JSON.parse(value);
    return 'must be an object or a list';
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function namedFault(field: NamedField, value: unknown, form: Holder): string | null {
  const id = form.draft.get([...field.path, 'id']);
  if (value === undefined || value === null)
    return choose(!field.nullable && field.required && field.fallback === undefined);
  if (id === undefined || id === '') return 'Choose one.';
  return form.registry(field.path).some((each) => each.id === id) ? null : `“${String(id)}” ${GONE}`;
}

/** Parameters that the registry entry does not have, from a run of an earlier version. */
function unknownParams(field: NamedField, label: string, form: Holder): FieldFault[] {
  const path = [...field.path, 'params'];
  const entry = form.registry(field.path).find(({ id }) => id === form.draft.get([...field.path, 'id']));
  const known = Object.keys((entry?.params.properties as object | undefined) ?? {});
  return !entry
    ? []
    : Object.keys((form.draft.get(path) as object | undefined) ?? {})
        .filter((key) => !known.includes(key))
        .map((key) => ({
          path: [...path, key],
          label: `${label} › ${key}`,
          message: `“${entry.title}” has no such parameter.`,
          removable: true,
        }));
}

/** All invalid values on the screen. */
export const faultsIn = (fields: readonly Field[], form: Holder): FieldFault[] =>
  [...shownFields(fields, form)].flatMap(({ field, label }) => {
    const message = faultOf(field, form);
    return [
      ...(message === null ? [] : [{ path: field.path, label, message }]),
      ...(field.kind === 'named' ? unknownParams(field, label, form) : []),
    ];
  });

/** The error's message, if `where` (a dotted path) is this field. */
export const errorAt = (error: ErrorFacts | null, path: readonly string[]): string | null =>
  error?.where === path.join('.') ? error.message : null;

/** The field's error: its own, or the one from the check. */
export const fieldError = (form: FormContext, field: Field): string | null =>
  faultOf(field, form) ?? errorAt(form.error(), field.path);

/**
 * Assigns an error of the check to the field at its path, or to the nearest enclosing one; null if it belongs
 * to none.
 */
export function faultOfError(
  { where, message, hint }: ErrorFacts,
  fields: readonly Field[],
  form: Holder,
): FieldFault | null {
  const isAround = ({ field }: { readonly field: Field }): boolean =>
    where !== undefined && `${where}.`.startsWith(`${field.path.join('.')}.`);
  const nearest = [...shownFields(fields, form)]
    .filter(isAround)
    .sort((a, b) => a.field.path.length - b.field.path.length)
    .at(-1);
  return nearest && where !== undefined
    ? { path: where.split('.'), label: nearest.label, message, ...(hint !== undefined && { hint }) }
    : null;
}
