import type { ColumnDefinition } from '../../../preload/contract/columns.ts';
import { stacksOf } from '../applied-steps.ts';
import type { Db } from '../database.ts';
import { fromJson } from '../json.ts';

/** A column and the event that computed it. */
export interface HeldColumn {
  readonly event: number;
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
  for (const { event, name, definition } of all)
    if (steps.has(event))
      newest.set(name.toLowerCase(), { event, name, definition: fromJson<ColumnDefinition>(definition) });
  return [...newest.values()];
}
