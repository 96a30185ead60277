import type { Facet } from '../../../preload/contract/rows.ts';
import { scoreName } from '../../../preload/wire/sample-query.ts';
import type { Bits } from '../rows/bits.ts';
import { facetOf } from '../rows/facets.ts';
import type { Sliced } from '../slices.ts';
import { scoreColumn } from './batch.ts';
import type { SampleTable } from './table.ts';

/** Counts of the matching answers by each column, scores first. */
export function* facetsOf(table: SampleTable, rows: Bits): Sliced<Facet[]> {
  const several = table.runs.length > 1 ? ['run'] : [];
  const columns = [
    ...['mark', 'purpose', 'stop', ...several].map((name) => [name, name] as const),
    ...table.scorers.map((scorer) => [scoreName(scorer), scoreColumn(scorer)] as const),
    ...['step', 'length', 'meanlogp', 'promptlength'].map((name) => [name, name] as const),
  ];
  const facets: Facet[] = [];
  for (const [title, name] of columns) {
    facets.push(facetOf(title, yield* table.column(name), rows));
    yield;
  }
  return facets;
}
