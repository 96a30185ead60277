import {
  drawMixture,
  mixtureShares,
  rowsWithoutRepeats,
  sampleOfStrata,
  strataCounts,
} from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Recipe, RecipePlan, RowSource } from '../../../preload/contract/deriving.ts';
import type { StoreClient } from '../../store/client.ts';
import type { Draws, Keep } from '../../store/deriving/copying.ts';
import type { ColumnValues } from '../../store/deriving/index.ts';
import { rowsOf, type SourceRows } from './sources.ts';

type Sample = Extract<Recipe, { kind: 'sample' }>;
type Mixture = Extract<Recipe, { kind: 'mixture' }>;

/** The rows that a recipe takes of its sources, in their order. */
export interface Drawn {
  readonly plan: RecipePlan;
  readonly sources: readonly SourceRows[];
  readonly draws: Draws;
  readonly keep: Keep;
}

export const sourcesOf = ({ kind, from }: Recipe): readonly RowSource[] =>
  kind === 'mixture' ? from : [from];

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/**
 * Draws the rows of a recipe. `asBefore`: its sources as they were when it was used, to use it again. Throws
 * the errors of a query or a column that is wrong.
 */
export async function draw(
  store: StoreClient,
  recipe: Recipe,
  signal: AbortSignal,
  asBefore: readonly { readonly sequence: number; readonly name: string }[] = [],
): Promise<Drawn> {
  const sources: SourceRows[] = [];
  for (const [at, source] of sourcesOf(recipe).entries()) {
    const { sequence, name } = asBefore.at(at) ?? {};
    const rows = await rowsOf(store, source, signal, sequence);
    sources.push({ ...rows, name: name ?? rows.name });
  }
  switch (recipe.kind) {
    case 'query': {
      const [{ datasetId, sequence }] = sources;
      if (recipe.columns && asBefore.length === 0)
        await store.deriving.refuseUnknown(datasetId, sequence, recipe.columns);
      return drawAll(recipe, sources);
    }
    case 'sample':
      return await drawSample(store, recipe, sources);
    case 'mixture':
      return drawMixed(recipe, sources);
  }
}

const entry = (source: SourceRows, asked: number, drawn: number): RecipePlan['sources'][number] => ({
  datasetId: source.datasetId,
  name: source.name,
  size: source.rows.length,
  asked,
  drawn,
  times: source.rows.length === 0 ? 0 : drawn / source.rows.length,
});

const fromOne = (rows: Uint32Array): Draws => ({ from: new Uint32Array(rows.length), rows });

function drawAll(recipe: Extract<Recipe, { kind: 'query' }>, sources: readonly SourceRows[]): Drawn {
  const [source] = sources;
  const { length } = source.rows;
  return {
    plan: { rows: length, sources: [entry(source, length, length)], strata: [], notes: [] },
    sources,
    draws: fromOne(source.rows),
    keep: { columns: recipe.columns ?? null, marks: recipe.marks, label: null },
  };
}

async function drawSample(
  store: StoreClient,
  recipe: Sample,
  sources: readonly SourceRows[],
): Promise<Drawn> {
  const [source] = sources;
  const { datasetId, sequence, rows } = source;
  if (recipe.allocation === 'given' && recipe.by === null)
    throw new WhetstoneError('invalid-input', 'Rows by value need a column.', {
      where: 'by',
      hint: 'Choose the column whose values are given.',
    });
  const { codes, values }: ColumnValues =
    recipe.by === null || rows.length === 0
      ? { codes: new Uint32Array(rows.length), values: rows.length === 0 ? [] : [null] }
      : await store.deriving.values(datasetId, sequence, rows, recipe.by);
  const sizes = values.map(() => 0);
  for (const code of codes) sizes[code] += 1;
  const { counts, notes } = countsOf(recipe, values, sizes);
  const taken = Uint32Array.from(sampleOfStrata(codes, counts, recipe.seed), (at) => rows[at]);
  const strata =
    recipe.by === null ? [] : values.map((value, at) => ({ value, size: sizes[at], drawn: counts[at] }));
  const asked = recipe.rows < 1 ? Math.round(recipe.rows * rows.length) : recipe.rows;
  const wanted = recipe.allocation === 'given' ? taken.length : asked;
  return {
    plan: { rows: taken.length, sources: [entry(source, wanted, taken.length)], strata, notes },
    sources,
    draws: fromOne(taken),
    keep: { columns: null, marks: recipe.marks, label: null },
  };
}

/** Rows of each stratum, and sentences about those that have fewer. */
function countsOf(
  { allocation, given, rows }: Sample,
  values: readonly (string | null)[],
  sizes: readonly number[],
): { readonly counts: number[]; readonly notes: string[] } {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (allocation !== 'given') {
    const asked = rows < 1 ? Math.round(rows * total) : rows;
    const counts = strataCounts(sizes, asked, allocation);
    const each = asked / Math.max(1, sizes.length);
    const short = allocation === 'equal' ? values.filter((_value, at) => sizes[at] < Math.floor(each)) : [];
    return {
      counts,
      notes: [
        ...(asked > total
          ? [`${number.format(asked)} rows were asked, and ${number.format(total)} match.`]
          : []),
        ...short.map(
          (value) =>
            `${nameOf(value)} has ${number.format(sizes[values.indexOf(value)])} rows: all are taken.`,
        ),
      ],
    };
  }
  const unknown = Object.keys(given).find((value) => !values.some((each) => (each ?? '') === value));
  if (unknown !== undefined)
    throw new WhetstoneError('invalid-input', `No row has the value '${unknown}'.`, { where: unknown });
  const asked = values.map((value) => (Object.hasOwn(given, value ?? '') ? given[value ?? ''] : 0));
  return {
    counts: asked.map((count, at) => Math.min(count, sizes[at])),
    notes: values.flatMap((value, at) =>
      asked[at] > sizes[at]
        ? [
            `${nameOf(value)} has ${number.format(sizes[at])} rows, ${number.format(asked[at])} asked: all are taken.`,
          ]
        : [],
    ),
  };
}

const nameOf = (value: string | null): string => (value === null ? 'The value “none”' : `“${value}”`);

function drawMixed({ from, rows, repeats, column, seed }: Mixture, sources: readonly SourceRows[]): Drawn {
  const sized = sources.map((source, at) => ({ size: source.rows.length, weight: from[at].weight }));
  const total = rows ?? rowsWithoutRepeats(sized);
  const shares = mixtureShares(sized, total, repeats);
  const { source, row } = drawMixture(sized, shares, seed);
  const names = labelsOf(sources);
  return {
    plan: {
      rows: source.length,
      sources: sources.map((each, at) => entry(each, shares[at].asked, shares[at].drawn)),
      strata: [],
      notes: shares.flatMap(({ asked, drawn, times }, at) => {
        if (asked <= sized[at].size) return [];
        const what = `${names[at]} has ${number.format(sized[at].size)} rows, ${number.format(asked)} asked`;
        return [
          drawn > sized[at].size
            ? `${what}: drawn ${number.format(times)} times.`
            : `${what}: ${drawn} are taken.`,
        ];
      }),
    },
    sources,
    draws: { from: source, rows: row.map((each, at) => sources[source[at]].rows[each]) },
    keep: { columns: null, marks: false, label: { column, names } },
  };
}

/** The names of datasets; the second of one name gets a number. */
const labelsOf = (sources: readonly SourceRows[]): string[] =>
  sources.map(({ name }, at) => {
    const before = sources.slice(0, at).filter((each) => each.name === name).length;
    return before === 0 ? name : `${name} (${before + 1})`;
  });
