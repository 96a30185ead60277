import type {
  BrowsedSample,
  PromptGroup,
  SamplePage,
  SampleSelection,
} from '../../../preload/contract/samples.ts';
import { parseSampleQuery, sortText, type SampleSort } from '../../../preload/wire/sample-query.ts';
import type { QueryNode } from '../../../preload/wire/query.ts';
import { fitting } from '../context.ts';
import { Bits } from '../rows/bits.ts';
import { evaluate } from '../rows/evaluate.ts';
import { knownRows, matchingRows, quickPage, withIncluded } from '../rows/search.ts';
import type { Sliced } from '../slices.ts';
import { groupPage, type Group } from './groups.ts';
import { sortKeys, signedDisagreement, sortedPage } from './order.ts';
import { answerReader, type StoredAnswer } from './reading.ts';
import type { SampleTable } from './table.ts';

export interface PageInput extends Omit<SampleSelection, 'runIds' | 'ids'> {
  readonly runIds: readonly string[];
  readonly ids: readonly string[] | null;
  readonly asOf: readonly number[] | null;
  readonly offset: number;
  readonly limit: number;
}

/** The query of a person: answers that a later attempt repeated match only if it names them. */
export const sampleQueryOf = (text: string): QueryNode => withIncluded(parseSampleQuery(text));

/** All rows from the newest on. */
const newest = (size: number): Iterable<number> => ({
  *[Symbol.iterator]() {
    for (let row = size - 1; row >= 0; row -= 1) yield row;
  },
});

/** A page of the answers that match. */
export function* pageOf(table: SampleTable, input: PageInput): Sliced<SamplePage> {
  const node = sampleQueryOf(input.query);
  const { sort, view } = input;
  if (view === 'answers' && !isNarrow(input) && !sort && !laterThan(table, input.asOf)) {
    const page = yield* unsorted(table, node, input);
    if (page) return page;
  }
  const all = yield* matchingRows(table, node, input.query);
  const matching = yield* narrowed(table, all, input);
  const keys = sort ? yield* sortKeys(table, sort) : null;
  if (view !== 'answers') return yield* grouped(table, matching, keys, input);
  const rows =
    keys && sort
      ? yield* sortedPage(table, { keys, descending: sort.descending, name: sortText(sort) }, matching, input)
      : newestOf(matching, input);
  return yield* answersPage(table, rows, matching.count, input);
}

/** A page in the order of time, if it can be had without finding all matching answers. */
function* unsorted(table: SampleTable, node: QueryNode, input: PageInput): Sliced<SamplePage | null> {
  if (knownRows(table, input.query)) return null;
  const evaluation = yield* evaluate(table, node, true);
  const { yes, maybe } = evaluation.found;
  if (yes.words.every((word, i) => word === maybe.words[i])) {
    table.cache.set(`rows/${input.query}`, yes);
    return null;
  }
  const page = yield* quickPage(evaluation, newest(table.size), input.offset, input.limit);
  if (!page) return null;
  const found = yield* answersPage(table, page.rows, page.total, input);
  return { ...found, more: found.more || page.more };
}

/** True if a run has more answers than these numbers. */
const laterThan = (table: SampleTable, asOf: readonly number[] | null): asOf is readonly number[] =>
  asOf !== null && table.runs.some(({ answers }, at) => answers.size > (asOf[at] ?? Infinity));

/** The first answers of each run. */
function earlier(table: SampleTable, asOf: readonly number[]): Bits {
  const bits = new Bits(table.size);
  for (const [at, { from, answers }] of table.runs.entries()) {
    const end = from + Math.min(answers.size, asOf[at] ?? Infinity);
    for (let row = from; row < end; row += 1) bits.add(row);
  }
  return bits;
}

/** True if only some of the matching answers are wanted. */
export const isNarrow = ({ promptId, equalTo, ids }: PageInput): boolean =>
  promptId !== null || equalTo !== null || ids !== null;

/** The rows of one prompt, of answers equal to one, or of these ids. */
function* narrowed(table: SampleTable, all: Bits, input: PageInput): Sliced<Bits> {
  const matching = laterThan(table, input.asOf) ? all.and(earlier(table, input.asOf)) : all;
  if (!isNarrow(input)) return matching;
  const { promptId, equalTo, ids } = input;
  if (ids !== null) return Bits.of(table.size, table.rowsOf(ids)).and(matching);
  const { prompts, answers } = yield* table.codes();
  const row =
    equalTo === null ? yield* table.rowOfPrompt(promptId ?? '') : (table.rowsOf([equalTo])[0] ?? null);
  if (row === null) return new Bits(table.size);
  const codes = equalTo === null ? prompts : answers;
  const own = new Bits(table.size);
  matching.forEach((each) => {
    if (codes[each] === codes[row]) own.add(each);
  });
  return own;
}

/** The last rows, the newest first. */
function newestOf(matching: Bits, { offset, limit }: PageInput): number[] {
  const end = matching.count - offset;
  const from = Math.max(0, end - limit);
  return end <= 0 ? [] : matching.page(from, end - from).reverse();
}

const sizesOf = ({ runs }: SampleTable): number[] => runs.map(({ answers }) => answers.size);
const lengthOf = ({ sample }: StoredAnswer): number => sample.prompt.length + sample.completion.length;

function* answersPage(
  table: SampleTable,
  rows: readonly number[],
  total: number | null,
  { sort, offset }: PageInput,
): Sliced<SamplePage> {
  const keys = sort ? yield* shownKeys(table, sort) : null;
  const read = answerReader(table);
  const stored = fitting(Iterator.from(rows).map(read), lengthOf);
  return {
    total,
    asOf: sizesOf(table),
    more: stored.length < rows.length || (total !== null && offset + rows.length < total),
    samples: stored.map(({ sample, row }): BrowsedSample => ({ ...sample, key: keys ? keys[row] : null })),
    prompts: [],
  };
}

/** The numbers that are shown for a sort: of a disagreement with its sign. */
function* shownKeys(table: SampleTable, sort: SampleSort): Sliced<Float64Array> {
  return sort.against === undefined
    ? yield* sortKeys(table, sort)
    : yield* signedDisagreement(table, sort.by, sort.against);
}

function* grouped(
  table: SampleTable,
  matching: Bits,
  keys: Float64Array | null,
  { view, sort, offset, limit }: PageInput,
): Sliced<SamplePage> {
  const by = view === 'prompts' ? 'prompts' : 'answers';
  const choice = { by, matching, keys, descending: sort?.descending ?? true, offset, limit } as const;
  const { total, groups } = yield* groupPage(table, choice);
  const read = answerReader(table);
  const stored = fitting(
    Iterator.from(groups).map((group) => ({ group, ...read(group.row) })),
    lengthOf,
  );
  return {
    total,
    asOf: sizesOf(table),
    more: offset + stored.length < total,
    samples: by === 'answers' ? stored.map((each) => copiesOf(each, keys !== null)) : [],
    prompts: by === 'prompts' ? stored.map((each) => promptOf(each, keys !== null)) : [],
  };
}

type Shown = StoredAnswer & { readonly group: Group };
const copiesOf = ({ group, sample }: Shown, isSorted: boolean): BrowsedSample => ({
  ...sample,
  copies: group.count,
  key: isSorted ? group.mean : null,
});
const promptOf = ({ group, sample }: Shown, isSorted: boolean): PromptGroup => ({
  promptId: sample.promptId,
  prompt: sample.prompt,
  answers: group.count,
  distinct: group.distinct,
  right: group.right,
  wrong: group.wrong,
  mean: isSorted ? group.mean : null,
});
