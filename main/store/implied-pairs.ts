import { labelMode, meanRating } from '../../engine/schema/labeling/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Preference } from '../../engine/schema/preference.ts';
import type { Db } from './database.ts';
import { answersShown, type ItemRow } from './label-items.ts';

type Row = ItemRow & {
  id: string;
  position: number;
  prompt_id: string;
  prompt: string;
  value: string;
};

const select = `select p.id, p.position, p.prompt_id, p.prompt, p.a, p.b, p.left_is, p.answers, e.value
  from pairs p join label_events e on e.sequence = p.verdict_sequence
  where p.set_id = ? and p.verdict = 'a' and e.value is not null`;

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
 * higher mean rating.
 */
export function* impliedPreferences(db: Db, setId: string, modeId: string): Generator<Preference> {
  const mode = labelMode(modeId);
  if (mode.id === 'rating') return yield* ratedPreferences(db, setId);
  for (const row of db.prepare<[string], Row>(`${select} order by p.position`).iterate(setId)) {
    const pairs = mode.pairs(answersShown(row), JSON.parse(row.value));
    yield* pairs.map(({ chosen, rejected }, at) => preference(row, at, chosen, rejected));
  }
}

function* ratedPreferences(db: Db, setId: string): Generator<Preference> {
  let group: { row: Row; text: string; rating: number }[] = [];
  for (const row of db.prepare<[string], Row>(`${select} order by p.prompt_id, p.position`).iterate(setId)) {
    if (group.at(0)?.row.prompt_id !== row.prompt_id) group = [];
    const [text] = answersShown(row);
    const rating = meanRating(JSON.parse(row.value));
    for (const [at, other] of group.entries()) {
      if (rating > other.rating) yield preference(row, at, text, other.text);
      if (rating < other.rating) yield preference(row, at, other.text, text);
    }
    group.push({ row, text, rating });
  }
}

/** The same, but throws `invalid-input` if there is none, because there is nothing to learn. */
export function* someImplied(db: Db, setId: string, modeId: string): Generator<Preference> {
  let count = 0;
  for (const each of impliedPreferences(db, setId, modeId)) {
    count += 1;
    yield each;
  }
  if (count === 0)
    throw new WhetstoneError(
      'invalid-input',
      'The decisions of this label set prefer no answer to another.',
      {
        where: setId,
        hint: 'Rank answers differently, rate several answers to one prompt, or change an answer.',
      },
    );
}
