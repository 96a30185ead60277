import type { Columns, PerToken, TextPort } from '../../kernel/columns.ts';
import type { RewardStack, StackValues } from '../../kernel/reward-stack.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { stepsOf } from '../math/steps.ts';
import { attributeNames } from './attributes.ts';

/** Scores stored answers: by the run’s scorers, or by their `label` if the run has none. */
export const scoreOrLabel = (stack: RewardStack<'total'>) =>
  stage({
    id: 'scoreOrLabel',
    station: 'scorers',
    needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId', 'label'],
    adds: ['reward/total'],
    run: async (rows, { progress, rewards = stack }) => {
      if (rewards.empty) return { columns: { 'reward/total': rows.label } };
      const { value, raw } = await rewards.score(rows, progress);
      return { columns: { 'reward/total': value }, raw };
    },
  });

/**
 * Distributes contributions of lines to the trained tokens of a row: to the token that ends the line, or the
 * last one before it if the world wrote that. Lines are counted from the end, since an answer's text may
 * begin in its prompt (a hint); contributions from there go to the first trained token.
 */
const onTokens = (lines: Float64Array, mask_T: Uint8Array, breaks: (t: number) => number): Float64Array => {
  const earned = new Float64Array(mask_T.length);
  const start = mask_T.indexOf(1);
  let line = lines.length - 1;
  let due = lines[line];
  for (let t = mask_T.length - 1; t >= start && start >= 0; t--) {
    for (let n = line > 0 ? breaks(t) : 0; n > 0 && line > 0; n--) due += lines[--line];
    if (!mask_T[t]) continue;
    earned[t] = due;
    due = 0;
  }
  if (start >= 0) earned[start] += lines.subarray(0, line).reduce((sum, part) => sum + part, due);
  return earned;
};

/**
 * Adds the contributions of a transcript's turns, each to the last trained token of its turn. Turns are
 * counted from the end, like lines; those without trained tokens (begun in the prompt) go to the first one.
 */
const addTurns = (earned: Float64Array, turns: Float64Array, mask_T: Uint8Array): Float64Array => {
  const places = stepsOf(mask_T, () => false, 'turn');
  const ahead = turns.length - places.length;
  turns.forEach((part, at) => {
    const place = places[Math.max(0, at - ahead)];
    if (place) earned[place[1]] += part;
  });
  return earned;
};

/** Each row's value on the tokens that earned it. */
export const earnedOf = (
  { value, lines, turns }: StackValues,
  { tokens, mask }: Pick<Columns, 'tokens' | 'mask'>,
  text: TextPort,
): PerToken<Float64Array> =>
  ragged(
    Array.from(value, (total, r) => {
      const byTurn = turns
        ? turns.values.subarray(turns.offsets[r], turns.offsets[r + 1])
        : new Float64Array();
      const own = lines
        ? lines.values.subarray(lines.offsets[r], lines.offsets[r + 1])
        : Float64Array.of(total - byTurn.reduce((sum, part) => sum + part, 0));
      const ids = rowOf(tokens, r);
      const earned = onTokens(own, rowOf(mask, r), (t) => text.decode([ids[t]]).split('\n').length - 1);
      return addTurns(earned, byTurn, rowOf(mask, r));
    }),
    Float64Array,
  );

/**
 * Fills `reward/<id>` with a stack's value and `credit/earned` with each token's contribution, and keeps
 * each scorer's raw value for the record.
 */
export const score = <const Id extends string>(stack: RewardStack<Id>) =>
  stage({
    id: `score(${stack.id})`,
    station: 'scorers',
    needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId'],
    adds: [`reward/${stack.id}`, 'credit/earned'],
    run: async (rows, { text, rewards, progress }) => {
      const scored = await ((stack.id === 'total' && rewards) || stack).score(rows, progress);
      const earned = { 'credit/earned': earnedOf(scored, rows, text) };
      // TypeScript widens a computed key to string; the template type names the same key
      return {
        columns: { ...earned, [`reward/${stack.id}`]: scored.value } as {
          [C in `reward/${Id}` | 'credit/earned']: Columns[C];
        },
        raw: scored.raw,
      };
    },
  });

/** `score`, with each scorer's raw value as a column of its own, `row/attribute-k`, in the order of the run. */
export const scoreApart = (stack: RewardStack<'total'>) => {
  const whole = score(stack);
  const names = attributeNames(stack);
  return stage({
    id: 'scoreApart',
    station: 'scorers',
    needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId'],
    adds: ['reward/total', 'credit/earned', ...names],
    run: async (rows, context) => {
      const { columns, raw = {} } = await whole.run(rows as never, context);
      const scored = columns as unknown as Pick<Columns, 'reward/total' | 'credit/earned'>;
      const apart = names.map((name, k) => [name, raw[stack.scorers[k]] ?? scored['reward/total']] as const);
      return { columns: { ...scored, ...Object.fromEntries(apart) } as never, raw };
    },
  });
};
