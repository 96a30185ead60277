import { queryError, type QueryNode, type Range } from '../../../preload/wire/query.ts';
import { searchWord } from '../../../preload/wire/row-search.ts';
import type { Sliced } from '../slices.ts';
import { Bits } from './bits.ts';
import type { Column, Found, Queried, RowTexts } from './queried.ts';
import { rowsWithText } from './sets.ts';
import { cellText, extraName } from './part.ts';
import { extraValue, hasWord } from './texts.ts';

/** Number of rows whose texts are read at once. */
const some = 200;

/** Terms and the rows that match them, for the terms whose columns are known. */
type Leaves = Map<QueryNode, Found>;

/**
 * A query over a table. Its rows are found in columns, bit sets and the full-text index as far as they decide
 * it (`yes`); those that only their text can decide (`maybe`) are read by `decide`.
 */
export class Evaluation {
  readonly #table: Queried;
  readonly #node: QueryNode;
  readonly #leaves: Leaves;
  readonly found: Found;

  constructor(table: Queried, node: QueryNode, leaves: Leaves) {
    this.#table = table;
    this.#node = node;
    this.#leaves = leaves;
    const found = combined(node, leaves, table.size);
    this.found = { yes: found.yes.and(table.present), maybe: found.maybe.and(table.present) };
  }

  /** Those of the rows that match, in their order. */
  decide(rows: readonly number[]): number[] {
    const { yes, maybe } = this.found;
    const unsure = rows.filter((row) => maybe.has(row) && !yes.has(row));
    const texts = unsure.length > 0 ? this.#table.texts(unsure) : [];
    const matching = new Set(texts.filter((each) => this.#test(this.#node, each)).map(({ row }) => row));
    return rows.filter((row) => yes.has(row) || matching.has(row));
  }

  /** All matching rows. */
  *all(): Sliced<Bits> {
    const { yes, maybe } = this.found;
    const matching = yes.copy();
    const unsure = maybe.without(yes);
    let batch: number[] = [];
    for (const row of unsure) {
      batch.push(row);
      if (batch.length < some) continue;
      for (const each of this.decide(batch)) matching.add(each);
      batch = [];
      yield;
    }
    for (const each of this.decide(batch)) matching.add(each);
    return matching;
  }

  #test(node: QueryNode, texts: RowTexts): boolean {
    if (node.kind === 'all') return node.of.every((each) => this.#test(each, texts));
    if (node.kind === 'any') return node.of.some((each) => this.#test(each, texts));
    if (node.kind === 'not') return !this.#test(node.of, texts);
    const { yes, maybe } = this.#leaves.get(node) ?? { yes: null, maybe: null };
    if (yes?.has(texts.row)) return true;
    return maybe?.has(texts.row) === true && testText(this.#table, node, texts);
  }
}

/** Looks a query up in a table. Throws `invalid-input` for unknown columns. */
export function* evaluate(table: Queried, node: QueryNode, quick: boolean): Sliced<Evaluation> {
  const leaves: Leaves = new Map();
  yield* findLeaves(table, node, leaves, quick);
  return new Evaluation(table, node, leaves);
}

function* findLeaves(table: Queried, node: QueryNode, leaves: Leaves, quick: boolean): Sliced<void> {
  if (node.kind === 'all' || node.kind === 'any') {
    for (const each of node.of) yield* findLeaves(table, each, leaves, quick);
  } else if (node.kind === 'not') {
    yield* findLeaves(table, node.of, leaves, quick);
  } else {
    leaves.set(node, yield* leafOf(table, node, quick));
    yield;
  }
}

function combined(node: QueryNode, leaves: Leaves, size: number): Found {
  if (node.kind === 'not') {
    const { yes, maybe } = combined(node.of, leaves, size);
    return { yes: maybe.not(), maybe: yes.not() };
  }
  if (node.kind !== 'all' && node.kind !== 'any') return leaves.get(node) ?? unreachable(node);
  const of = node.of.map((each) => combined(each, leaves, size));
  return node.kind === 'all'
    ? {
        yes: of.reduce((all, { yes }) => all.and(yes), Bits.full(size)),
        maybe: of.reduce((all, { maybe }) => all.and(maybe), Bits.full(size)),
      }
    : {
        yes: of.reduce((all, { yes }) => all.or(yes), new Bits(size)),
        maybe: of.reduce((all, { maybe }) => all.or(maybe), new Bits(size)),
      };
}

const unreachable = (node: QueryNode): never => {
  throw new TypeError(`a term without rows: ${node.kind}`);
};

type Leaf = Exclude<QueryNode, { kind: 'all' | 'any' | 'not' }>;
const exactly = (bits: Bits): Found => ({ yes: bits, maybe: bits });

function* leafOf(table: Queried, leaf: Leaf, quick: boolean): Sliced<Found> {
  switch (leaf.kind) {
    case 'text':
      return table.word(leaf.word, quick);
    case 'mark':
      return exactly(valuesOf(yield* table.column('mark'), table.size, (value) => value === leaf.mark));
    case 'is':
      return exactly(leaf.state === 'included' ? table.set('excluded').not() : table.set(leaf.state));
    case 'has':
      return yield* filled(table, leaf.column, leaf.term);
    case 'value':
      return yield* valueFound(table, leaf, quick);
    case 'range':
      return yield* rangeFound(table, leaf, leaf.column, leaf.term);
  }
}

function* filled(table: Queried, column: string, term: string): Sliced<Found> {
  const lower = column.toLowerCase();
  if (table.isSet(lower)) return exactly(table.set(`${lower}:`));
  if (lower === 'note') return exactly(table.set('note'));
  if (['prompt', 'answer', 'row'].includes(lower)) return exactly(table.present);
  if (lower === 'mark')
    return exactly(valuesOf(yield* table.column('mark'), table.size, (value) => value !== 'unmarked'));
  const name = nameOrEmpty(table, column, term);
  const cells = name === null ? null : yield* table.column(name);
  const bits = new Bits(table.size);
  if (cells) {
    const { data, kind } = cells;
    for (let row = 0; row < table.size; row += 1)
      if (kind === 'number' ? !Number.isNaN(data[row]) : data[row] !== 0) bits.add(row);
  }
  return { yes: bits, maybe: table.hasOthers ? table.present : bits };
}

/** Built-in columns that no row has a cell in are empty, not unknown. */
const nameOrEmpty = (table: Queried, column: string, term: string): string | null =>
  ['source', 'reference'].includes(column.toLowerCase()) && !table.has(column.toLowerCase())
    ? null
    : table.nameOf(column, term);

type Value = Extract<QueryNode, { kind: 'value' }>;

function* valueFound(table: Queried, leaf: Value, quick: boolean): Sliced<Found> {
  const column = leaf.column.toLowerCase();
  if (table.isSet(column)) return exactly(table.set(`${column}:${leaf.value}`));
  if (column === 'note') return exactly(table.notes(leaf.value, leaf.whole));
  if (column === 'prompt' || column === 'answer') {
    const { maybe } = table.word(searchWord(leaf.value), quick);
    return { yes: new Bits(table.size), maybe: leaf.whole ? table.present : maybe };
  }
  if (column === 'row') return yield* rangeFound(table, equalTo(leaf), leaf.column, leaf.term);
  const name = nameOrEmpty(table, leaf.column, leaf.term);
  const cells = name === null ? null : yield* table.column(name);
  const rest = table.hasOthers && name?.startsWith(extraName('')) ? table.present : new Bits(table.size);
  if (cells?.kind === 'number') {
    const same = yield* rangeFound(table, equalTo(leaf), leaf.column, leaf.term);
    return { yes: same.yes, maybe: same.maybe.or(rest) };
  }
  if (cells?.kind === 'text' && cells.texts) {
    const yes = rowsWithText(cells.texts, leaf, table.size);
    return { yes, maybe: yes.or(rest) };
  }
  if (cells?.kind === 'text') {
    const maybe = rest.copy();
    for (let row = 0; row < table.size; row += 1) if (cells.data[row] !== 0) maybe.add(row);
    return { yes: new Bits(table.size), maybe };
  }
  const yes = valuesOf(cells, table.size, (value) => isMatch(value, leaf));
  return { yes, maybe: yes.or(rest) };
}

function equalTo({ value, column, term }: Value): Range {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw queryError(
      term,
      `'${value}' is not a number, and '${column}' holds numbers.`,
      'Write a number, or a range such as 10..20.',
    );
  return { low: number, high: number, lowInside: true, highInside: true };
}

function isMatch(cell: string, { value, whole }: Value): boolean {
  const [own, wanted] = [cell.toLowerCase(), value.toLowerCase()];
  return whole ? own === wanted : own.includes(wanted);
}

/** The rows whose value passes. */
function valuesOf(column: Column | null, size: number, passes: (value: string) => boolean): Bits {
  const bits = new Bits(size);
  if (column?.kind !== 'category') return bits;
  const codes = Uint8Array.of(0, ...column.values.map((value) => Number(passes(value))));
  for (let row = 0; row < size; row += 1) if (codes[column.data[row]] === 1) bits.add(row);
  return bits;
}

function* rangeFound(table: Queried, range: Range, column: string, term: string): Sliced<Found> {
  const { size } = table;
  const bits = new Bits(size);
  const inside = (value: number): boolean => isInside(value, range);
  if (column.toLowerCase() === 'row') {
    for (const row of table.present) if (inside(row)) bits.add(row);
    return exactly(bits);
  }
  const cells = yield* table.column(table.nameOf(column, term));
  if (cells?.kind === 'number') {
    for (let row = 0; row < size; row += 1) if (inside(cells.data[row])) bits.add(row);
    return exactly(bits);
  }
  if (cells?.kind !== 'category' || !cells.values.some((value) => isNumber(value)))
    throw queryError(
      term,
      `'${column}' holds no numbers.`,
      `Compare its text instead: ${column}:"some text".`,
    );
  return exactly(valuesOf(cells, size, (value) => isNumber(value) && inside(Number(value))));
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

const isInside = (value: number, { low, high, lowInside, highInside }: Range): boolean =>
  !Number.isNaN(value) &&
  (low === null || value > low || (lowInside && value === low)) &&
  (high === null || value < high || (highInside && value === high));

/** True if the texts of a row match a term that its columns left open. */
function testText(table: Queried, leaf: Leaf, texts: RowTexts): boolean {
  if (leaf.kind === 'text') return hasWord(leaf.word, texts);
  if (leaf.kind !== 'value' && leaf.kind !== 'has') return false;
  const lower = leaf.column.toLowerCase();
  const isBuiltIn = lower === 'prompt' || lower === 'answer' || lower === 'reference';
  const name = isBuiltIn ? lower : table.nameOf(leaf.column, leaf.term).slice(extraName('').length);
  const cell = isBuiltIn ? texts[lower as 'prompt'] : extraValue(texts, name);
  if (cell === undefined || cell === null || cell === '') return false;
  if (leaf.kind === 'has') return true;
  if (lower === 'prompt' || lower === 'answer')
    return leaf.whole
      ? isMatch(texts[lower], leaf)
      : texts[lower].search(searchWord(leaf.value).pattern) >= 0;
  return isMatch(cellText(cell), leaf);
}
