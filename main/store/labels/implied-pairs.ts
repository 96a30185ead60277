import { labelMode } from '../../../engine/schema/labeling/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Preference } from '../../../engine/schema/preference.ts';
import type { Db } from '../database.ts';
import { answersShown, type ItemRow } from './label-items.ts';

type Row = ItemRow & {
  id: string;
  position: number;
  prompt_id: string;
  prompt: string;
  value: string;
  labeler: string;
  rationale: string;
  at: number;
};

/** Whose decision implies a pair, and when it was made, in milliseconds. */
interface Decided {
  readonly labeler: string;
  readonly rationale: string;
  readonly at: number;
}

/** A preference with the decisions that imply it: one of an item, or two ratings. */
export interface Implied {
  readonly preference: Preference;
  readonly decisions: readonly Decided[];
}

/** Implied preferences of one item, or of all rated answers to one prompt. */
interface Group {
  /** Position of the item, or of the last answer: the group after it is the next one. */
  readonly position: number;
  readonly implied: readonly Implied[];
}

const select = `select p.id, p.position, p.prompt_id, p.prompt, p.a, p.b, p.left_is, p.answers,
    e.value, e.labeler, e.rationale, e.at
  from pairs p join label_events e on e.sequence = p.verdict_sequence
  where p.set_id = :setId and p.verdict = 'a' and e.value is not null`;

/** Items after a position. */
const selectItems = `${select} and p.position > :after order by p.position`;
/** Items of the prompts after the one at a position, in the order of the prompts' ids. */
const selectRated = `${select} and (:after < 0 or p.prompt_id >
    (select c.prompt_id from pairs c where c.set_id = :setId and c.position = :after))
  order by p.prompt_id, p.position`;

type Selected = [{ setId: string; after: number }];

/** Alternates sides, so that the position of the better answer teaches nothing. */
function preference(row: Row, at: number, chosen: string, rejected: string): Preference {
  const first = (row.position + at) % 2 === 0;
  return {
    pairId: `${row.id}/${at}`,
    promptId: row.prompt_id,
    prompt: row.prompt,
    a: first ? chosen : rejected,
    b: first ? rejected : chosen,
    verdict: first ? 'a' : 'b',
    correctA: null,
    correctB: null,
  };
}

/**
 * The preferences that the decisions of a set imply, in modes other than `pair`: every two answers with
 * different ranks; a rewritten answer over its original; of two answers to one prompt, the one with the
 * higher mean rating, or the correct one. In groups after the one with the position `after`; -1: all.
 */
export function* impliedGroups(db: Db, setId: string, modeId: string, after = -1): Generator<Group> {
  const mode = labelMode(modeId);
  if (mode.score) return yield* ratedGroups(db, setId, after, mode.score);
  for (const row of db.prepare<Selected, Row>(selectItems).iterate({ setId, after })) {
    const pairs = mode.pairs(answersShown(row), JSON.parse(row.value));
    const implied = pairs.map(({ chosen, rejected }, at) => ({
      preference: preference(row, at, chosen, rejected),
      decisions: [row],
    }));
    yield { position: row.position, implied };
  }
}

type Score = (value: unknown) => number;

function* ratedGroups(db: Db, setId: string, after: number, score: Score): Generator<Group> {
  let group: Row[] = [];
  for (const row of db.prepare<Selected, Row>(selectRated).iterate({ setId, after })) {
    if (group.length > 0 && group[0].prompt_id !== row.prompt_id) {
      yield ratedGroup(group, score);
      group = [];
    }
    group.push(row);
  }
  if (group.length > 0) yield ratedGroup(group, score);
}

/** Preferences between the rated answers to one prompt. */
function ratedGroup(rows: readonly Row[], score: Score): Group {
  const rated = rows.map((row) => ({
    row,
    text: answersShown(row)[0],
    rating: score(JSON.parse(row.value)),
  }));
  const implied = rated.flatMap(({ row, text, rating }, count) =>
    rated.slice(0, count).flatMap((other, at): Implied[] => {
      if (rating === other.rating) return [];
      const [chosen, rejected] = rating > other.rating ? [text, other.text] : [other.text, text];
      return [{ preference: preference(row, at, chosen, rejected), decisions: [other.row, row] }];
    }),
  );
  return { position: rows[rows.length - 1].position, implied };
}

/** All preferences that the decisions of a set imply. */
export function* impliedPreferences(db: Db, setId: string, modeId: string): Generator<Preference> {
  for (const { implied } of impliedGroups(db, setId, modeId))
    yield* implied.map(({ preference: each }) => each);
}

/** Returns a function that counts the implied preferences of a set, again only after a further decision. */
export function impliedCounter(db: Db): (setId: string, modeId: string) => number {
  const newest = db
    .prepare<[string], number | null>('select max(sequence) from label_events where set_id = ?')
    .pluck();
  const known = new Map<string, { readonly sequence: number; readonly count: number }>();
  return (setId, modeId) => {
    const sequence = newest.get(setId) ?? 0;
    const before = known.get(setId);
    if (before?.sequence === sequence) return before.count;
    const count = impliedGroups(db, setId, modeId).reduce((sum, { implied }) => sum + implied.length, 0);
    known.set(setId, { sequence, count });
    return count;
  };
}

/** The preferences of `impliedPreferences`, but throws `invalid-input` if there is none, because there is nothing to learn. */
export function* someImplied(db: Db, setId: string, modeId: string): Generator<Preference> {
  let count = 0;
  for (const each of impliedPreferences(db, setId, modeId)) {
    count += 1;
    yield each;
  }
  if (count === 0) throw nothingImplied(setId);
}

export const nothingImplied = (setId: string): WhetstoneError =>
  new WhetstoneError('invalid-input', 'The decisions of this label set prefer no answer to another.', {
    where: setId,
    hint: 'Rank answers differently, judge several answers to one prompt, or change an answer.',
  });
