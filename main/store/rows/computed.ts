import type { ColumnDefinition } from '../../../preload/contract/columns.ts';
import { columnNames } from '../../../preload/wire/column-text.ts';
import { stacksOf } from '../applied-steps.ts';
import type { Db } from '../database.ts';
import { fromJson } from '../json.ts';

/** A column and the event that computed it; `at`: its place among the columns of that event. */
export interface HeldColumn {
  readonly event: number;
  readonly at: number;
  readonly name: string;
  readonly definition: ColumnDefinition;
}

/**
 * The computed columns of a dataset after these steps, by default the present ones: of each name the newest,
 * in the order of their making.
 */
export function heldColumns(db: Db, id: string, applied?: readonly number[]): HeldColumn[] {
  const all = db
    .prepare<[string], { event: number; name: string; definition: string }>(
      `select c.event, c.name, c.definition from computed_columns c join curation_events e on e.sequence = c.event
       where c.dataset_id = ? and e.visible = 1 order by c.event`,
    )
    .all(id);
  if (all.length === 0) return [];
  const steps = new Set(applied ?? stacksOf(db, id).applied);
  const newest = new Map<string, HeldColumn>();
  for (const { event, name, definition: json } of all) {
    if (!steps.has(event)) continue;
    const definition = fromJson<ColumnDefinition>(json);
    for (const [at, own] of columnNames(name, definition).entries())
      newest.set(own.toLowerCase(), { event, at, name: own, definition });
  }
  return [...newest.values()];
}
