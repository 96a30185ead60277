import type { Db } from './database.ts';

/** The events that hold and those that were undone, each as a stack with the next one to undo or redo last. */
export function stacksOf(db: Db, id: string, upTo = Infinity): { applied: number[]; undone: number[] } {
  const applied: number[] = [];
  let undone: number[] = [];
  const events = db.prepare<[string], { sequence: number; event: string }>(
    'select sequence, event from curation_events where dataset_id = ? and visible = 1 order by sequence',
  );
  for (const { sequence, event } of events.iterate(id)) {
    if (sequence > upTo) break;
    if (event === 'undo') undone.push(applied.pop() ?? sequence);
    else if (event === 'redo') applied.push(undone.pop() ?? sequence);
    else {
      applied.push(sequence);
      undone = [];
    }
  }
  return { applied, undone };
}
