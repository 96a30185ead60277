import type { CurationEvent } from '../../../preload/contract/curation.ts';
import { plural } from '../../lib/format.ts';

const verbs: Readonly<Record<CurationEvent['event'], string>> = {
  exclude: 'Excluded',
  restore: 'Restored',
  tag: 'Tagged',
  untag: 'Removed the tag',
  flag: 'Flagged',
  unflag: 'Removed the flag',
  split: 'Split',
  note: 'Noted',
  edit: 'Edited',
  add: 'Added by hand',
  undo: 'Undid a step of',
  redo: 'Repeated a step of',
};

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** A step in words: what was done, and to how many rows. */
export function eventText({ event, field, value, rows }: CurationEvent): string {
  const count = plural(rows, 'row');
  // the value of a split is its specification
  if (event === 'split') return `${verbs.split} ${count} as “${field}”`;
  if (event === 'edit')
    return `${verbs.edit} ${field} of ${count}: ${value === null ? 'emptied' : `“${short(value)}”`}`;
  if (event === 'note')
    return value ? `${verbs.note} “${short(value)}” at ${count}` : `Removed the note of ${count}`;
  if (value !== null && event !== 'undo' && event !== 'redo')
    return `${verbs[event]} “${short(value)}”: ${count}`;
  return `${verbs[event]} ${count}`;
}
