/** A stack of scorers whose total is made by a composer. */
import { WhetstoneError } from '../../common/errors.ts';
import { groupsOf } from '../groups.ts';
import { namedRewards, type PlacedReward, type Stack, type StackScores } from '../stack.ts';
import type { ComposerChoice, Composed } from './composer.ts';
import { openComposer } from './index.ts';

/** Name of the composer's state among those of scorers. */
const STATE = 'composer';

/** The part of a specification that makes totals. */
export interface TotalSpec {
  readonly rewards: readonly PlacedReward[];
  readonly composer?: ComposerChoice | null;
}

const finite = (id: string, composed: Composed): Composed => {
  for (const values of [composed.total, composed.credit ?? composed.total]) {
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at >= 0)
      throw new WhetstoneError('numeric', `The composer '${id}' gave ${values[at]} for row ${at}.`, {
        where: 'composer',
      });
  }
  return composed;
};

/** What a composer recorded, on every row. */
const onRows = ({ total, recorded = {} }: Composed): StackScores['raw'] =>
  Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [name, new Float64Array(total.length).fill(value)]),
  );

/**
 * The stack with the total of the specification's composer; unchanged without one, where the total is the
 * weighted sum. The stack may have more scorers than the specification's. The measured total is kept as the
 * value `composed`. Contributions of lines are left out, since a line has no part of its own in a product or
 * a minimum. Throws `invalid-input` if the composer does not fit the rewards.
 */
export const composedStack = (stack: Stack, { rewards, composer }: TotalSpec): Stack => {
  if (!composer) return stack;
  const composition = openComposer(composer, namedRewards(rewards));
  return {
    scorers: stack.scorers,
    ...(stack.weights && { weights: stack.weights }),
    state: () => ({
      ...stack.state(),
      ...(composition.state && { [STATE]: composition.state() }),
    }),
    restore: (saved) => {
      stack.restore(saved);
      if (STATE in saved) composition.restore?.(saved[STATE]);
    },
    score: async (rows, progress = 1) => {
      const { raw } = await stack.score(rows, progress);
      const scored = { values: raw, groups: groupsOf(rows), rows: rows.length, progress };
      const made = finite(composer.id, composition.compose(scored));
      const { total, credit } = made;
      return { total, ...(credit && { credit }), raw: { ...raw, ...onRows(made), composed: total } };
    },
  };
};
