/**
 * Questions about generated tables: drawn, written as text, parsed, written as queries, and answered without
 * a database.
 */
import type { RandomStream } from '../random/random.ts';

/**
 * A column of texts or of numbers. No two rows of a table share a number, so that an order is always unique.
 */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}
export type Row = Readonly<Record<string, string | number>>;
export interface Condition {
  readonly column: string;
  readonly is: 'over' | 'under' | 'is';
  readonly value: string | number;
}
export type Question =
  | { readonly kind: 'list'; readonly column: string; readonly where?: Condition }
  | { readonly kind: 'measure'; readonly of: Measure; readonly where: Condition }
  | { readonly kind: 'groups'; readonly of: Measure; readonly by: string }
  | {
      readonly kind: 'first';
      readonly column: string;
      readonly by: string;
      readonly count: number;
      readonly most: boolean;
    }
  | { readonly kind: 'joined'; readonly column: string; readonly where: Condition };
/** Row count, or an aggregate of a column of numbers. */
export type Measure =
  { readonly what: 'many' } | { readonly what: 'largest' | 'smallest' | 'total'; readonly column: string };
export interface TableQuestion {
  readonly tables: readonly Table[];
  readonly question: Question;
}

const texts: Readonly<Record<string, readonly string[]>> = {
  colour: ['red', 'blue', 'green', 'black'],
  kind: ['big', 'small', 'round', 'flat'],
  town: ['york', 'bath', 'rome', 'oslo'],
  name: ['ann', 'bob', 'eve', 'gil', 'ida', 'kai', 'mia', 'tom'],
};
const numbers = ['age', 'price', 'weight', 'height', 'speed'];
const tables = ['animal', 'ship', 'house', 'plant', 'song', 'team', 'book', 'car'];
const OTHER: Table = { name: 'owner', columns: ['id', 'name', 'town'] };
export const LARGEST_NUMBER = 40;
const ROWS = 8;
const OWNERS = 3;

const isText = (column: string): boolean => column in texts;
const picks = <T>(from: readonly T[], count: number, draw: RandomStream): T[] => {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(draw.int(left.length), 1)[0]);
};

const conditionOn = (columns: readonly string[], draw: RandomStream): Condition => {
  const column = draw.pick(columns);
  return isText(column)
    ? { column, is: 'is', value: draw.pick(texts[column]) }
    : { column, is: draw.pick(['over', 'under'] as const), value: 5 + draw.int(LARGEST_NUMBER - 10) };
};

/** A question of a level, 1 to 6, about tables of its own. */
export const drawQuestion = (level: number, draw: RandomStream): TableQuestion => {
  const words = picks(Object.keys(texts), 2, draw);
  const values = picks(numbers, 2, draw);
  const columns = [...words, ...values];
  const table: Table = { name: draw.pick(tables), columns: level === 6 ? [...columns, OTHER.name] : columns };
  const measure = (): Measure => {
    const what = draw.pick(['many', 'largest', 'smallest', 'total'] as const);
    return what === 'many' ? { what } : { what, column: draw.pick(values) };
  };
  const questions: readonly (() => Question)[] = [
    () => ({ kind: 'list', column: draw.pick(columns) }),
    () => ({ kind: 'list', column: draw.pick(columns), where: conditionOn(columns, draw) }),
    () => ({ kind: 'measure', of: measure(), where: conditionOn(columns, draw) }),
    () => ({ kind: 'groups', of: measure(), by: draw.pick(words) }),
    () => ({
      kind: 'first',
      column: draw.pick(columns),
      by: draw.pick(values),
      count: 1 + draw.int(3),
      most: draw.int(2) === 0,
    }),
    () => ({ kind: 'joined', column: draw.pick(columns), where: conditionOn(['town', 'name'], draw) }),
  ];
  return { tables: level === 6 ? [table, OTHER] : [table], question: questions[level - 1]() };
};

const conditionText = ({ column, is, value }: Condition): string => `${column} ${is} ${value}`;
const measureText = (of: Measure): string => (of.what === 'many' ? 'how many' : `${of.what} ${of.column}`);

/** `animal(kind,name,age,price) largest age where kind is big?` */
export const questionText = ({ tables: all, question: q }: TableQuestion): string => {
  const body = {
    list: () =>
      q.kind === 'list' && q.where
        ? `${q.column} where ${conditionText(q.where)}`
        : `every ${(q as { column: string }).column}`,
    measure: () => (q.kind === 'measure' ? `${measureText(q.of)} where ${conditionText(q.where)}` : ''),
    groups: () => (q.kind === 'groups' ? `${measureText(q.of)} for each ${q.by}` : ''),
    first: () =>
      q.kind === 'first'
        ? `${q.column} of the ${q.count} with ${q.most ? 'most' : 'least'} ${q.by}, in order`
        : '',
    joined: () => (q.kind === 'joined' ? `${q.column} where ${OTHER.name} ${conditionText(q.where)}` : ''),
  }[q.kind]();
  return `${all.map(({ name, columns }) => `${name}(${columns.join(',')})`).join(' ')} ${body}?`;
};

const conditionOf = (text: string): Condition | null => {
  const [, column, is, value] = /^([a-z]+) (over|under|is) ([a-z]+|\d+)$/.exec(text) ?? [];
  if (column === undefined) return null;
  return { column, is: is as Condition['is'], value: /^\d/.test(value) ? Number(value) : value };
};
const measureOf = (text: string): Measure | null => {
  if (text === 'how many') return { what: 'many' };
  const [, what, column] = /^(largest|smallest|total) ([a-z]+)$/.exec(text) ?? [];
  return column === undefined ? null : { what: what as 'largest' | 'smallest' | 'total', column };
};

/** Parses a question's text; null for anything else. */
export const readQuestion = (text: string): TableQuestion | null => {
  if (text.length > 200) return null;
  const [, shape, body] = /^((?:[a-z]+\([a-z,]+\) ){1,2})([a-z0-9 ,]+)\?$/.exec(text) ?? [];
  if (body === undefined) return null;
  const all = [...shape.matchAll(/([a-z]+)\(([a-z,]+)\)/g)].map(([, name, columns]): Table => ({
    name,
    columns: columns.split(','),
  }));
  const question = questionOf(body);
  return question &&
    (question.kind === 'joined') === (all.length === 2) &&
    questionText({ tables: all, question }) === text
    ? { tables: all, question }
    : null;
};

const questionOf = (text: string): Question | null => {
  const [, every] = /^every ([a-z]+)$/.exec(text) ?? [];
  if (every !== undefined) return { kind: 'list', column: every };
  const [, column, count, most, by] =
    /^([a-z]+) of the (\d) with (most|least) ([a-z]+), in order$/.exec(text) ?? [];
  if (column !== undefined) return { kind: 'first', column, by, count: Number(count), most: most === 'most' };
  const [what, each] = text.split(' for each ');
  if (each !== undefined) {
    const of = measureOf(what);
    return of && { kind: 'groups', of, by: each };
  }
  const [head, condition = ''] = text.split(' where ');
  const joined = condition.startsWith(`${OTHER.name} `);
  const where = conditionOf(joined ? condition.slice(OTHER.name.length + 1) : condition);
  if (!where) return null;
  const of = measureOf(head);
  if (of) return { kind: 'measure', of, where };
  return /^[a-z]+$/.test(head) ? { kind: joined ? 'joined' : 'list', column: head, where } : null;
};

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value}'`;
const operators = { over: '>', under: '<', is: '=' } as const;
const conditionSql = ({ column, is, value }: Condition, of = ''): string =>
  `${of}${column}${operators[is]}${literal(value)}`;
const measureSql = (of: Measure): string =>
  of.what === 'many'
    ? 'count(*)'
    : `${{ largest: 'max', smallest: 'min', total: 'sum' }[of.what]}(${of.column})`;

/** The query of a demonstration. */
export const querySql = ({ tables: [{ name }], question: q }: TableQuestion): string => {
  if (q.kind === 'list')
    return `select ${q.column} from ${name}${q.where ? ` where ${conditionSql(q.where)}` : ''}`;
  if (q.kind === 'measure') return `select ${measureSql(q.of)} from ${name} where ${conditionSql(q.where)}`;
  if (q.kind === 'groups') return `select ${q.by},${measureSql(q.of)} from ${name} group by ${q.by}`;
  if (q.kind === 'first')
    return `select ${q.column} from ${name} order by ${q.by}${q.most ? ' desc' : ''} limit ${q.count}`;
  return (
    `select ${name}.${q.column} from ${name} join ${OTHER.name} on ${name}.${OTHER.name}=${OTHER.name}.id ` +
    `where ${conditionSql(q.where, `${OTHER.name}.`)}`
  );
};

/** Rows of the tables. */
export const drawRows = (all: readonly Table[], draw: RandomStream): Row[][] =>
  all.map(({ name, columns }) => {
    const count = name === OTHER.name ? OWNERS : ROWS;
    const drawn = new Map(
      columns.map((column): [string, readonly (string | number)[]] => {
        if (column === 'id') return [column, Array.from({ length: count }, (_, i) => i + 1)];
        if (column === OTHER.name) return [column, Array.from({ length: count }, () => 1 + draw.int(OWNERS))];
        if (isText(column)) return [column, Array.from({ length: count }, () => draw.pick(texts[column]))];
        return [
          column,
          picks(
            Array.from({ length: LARGEST_NUMBER }, (_, i) => i + 1),
            count,
            draw,
          ),
        ];
      }),
    );
    return Array.from({ length: count }, (_, r) =>
      Object.fromEntries(columns.map((column) => [column, drawn.get(column)?.[r] ?? ''])),
    );
  });

export const setupSql = (all: readonly Table[], rows: readonly (readonly Row[])[]): string =>
  all
    .map(
      ({ name, columns }, t) =>
        'create table ' +
        `${name}(${columns.map((column) => `${column} ${isText(column) ? 'text' : 'integer'}`).join(', ')}); ` +
        `insert into ${name} values ` +
        `${rows[t].map((row) => `(${columns.map((column) => literal(row[column])).join(', ')})`).join(', ')};`,
    )
    .join('\n');

const fits = (row: Row, { column, is, value }: Condition): boolean =>
  is === 'over' ? row[column] > value : is === 'under' ? row[column] < value : row[column] === value;
/** An SQL aggregate: an empty set has count 0, and no maximum, minimum or sum. */
const measured = (rows: readonly Row[], of: Measure): number | null => {
  if (of.what === 'many') return rows.length;
  const values = rows.map((row) => Number(row[of.column]));
  if (values.length === 0) return null;
  return of.what === 'largest'
    ? Math.max(...values)
    : of.what === 'smallest'
      ? Math.min(...values)
      : values.reduce((a, b) => a + b, 0);
};

/** The rows of a correct query. */
export const answerOfQuestion = (
  { question: q }: TableQuestion,
  [rows, owners = []]: readonly (readonly Row[])[],
): (string | number | null)[][] => {
  if (q.kind === 'list')
    return rows.filter((row) => !q.where || fits(row, q.where)).map((row) => [row[q.column]]);
  if (q.kind === 'measure')
    return [
      [
        measured(
          rows.filter((row) => fits(row, q.where)),
          q.of,
        ),
      ],
    ];
  if (q.kind === 'groups')
    return [...Map.groupBy(rows, (row) => row[q.by])].map(([key, group]) => [key, measured(group, q.of)]);
  if (q.kind === 'first')
    return rows
      .toSorted((a, b) => (q.most ? -1 : 1) * (Number(a[q.by]) - Number(b[q.by])))
      .slice(0, q.count)
      .map((row) => [row[q.column]]);
  return rows
    .filter((row) => owners.some((owner) => owner.id === row[OTHER.name] && fits(owner, q.where)))
    .map((row) => [row[q.column]]);
};

/** True if two results are the same rows; in the same order if the question asks for one. */
export const sameRows = (
  ordered: boolean,
  a: readonly (readonly unknown[])[],
  b: readonly (readonly unknown[])[],
): boolean => {
  const keys = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row));
  const [one, other] = ordered ? [keys(a), keys(b)] : [keys(a).sort(), keys(b).sort()];
  return one.length === other.length && one.every((key, r) => key === other[r]);
};
