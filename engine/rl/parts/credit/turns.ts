/** Credit of turns by a critic of turns. */
import type { Columns, ModelPort, PerToken } from '../../kernel/columns.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { stepPlaces } from '../math/steps.ts';

/** An output after the token before a step: of the state in which it begins; 0 at the start of a row. */
const beforeStep = (outputs: PerToken, r: number, first: number): number =>
  first > outputs.offsets[r] ? outputs.values[first - 1] : 0;

/** `value` of a step on each of its tokens, 0 elsewhere. */
const onSteps = (
  steps: readonly (readonly { readonly first: number; readonly last: number }[])[],
  mask: PerToken<Uint8Array>,
  value: (step: { readonly first: number; readonly last: number }, s: number, r: number) => number,
): PerToken<Float64Array> => {
  const values = new Float64Array(mask.values.length);
  steps.forEach((own, r) =>
    own.forEach((step, s) => {
      const of = value(step, s, r);
      for (let at = step.first; at <= step.last; at++) if (mask.values[at]) values[at] = of;
    }),
  );
  return { axis: 'T', values, offsets: mask.offsets };
};

/**
 * Advantage of each turn by one head that is read twice: A = Q(s, a) − V(s), where V is its output before the
 * turn's first token and Q its output after the last one (ArCHer, arXiv:2402.19446, eq. 4); the same on every
 * token of the turn. A batch without rows has none.
 */
export const turnAdvantages = <const M extends string>({ by }: { readonly by: M }) =>
  stage({
    id: `turnAdvantages(${by})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'stepEnd', `model/${by}`],
    adds: ['advantage'],
    run: async (inputs) => {
      const { tokens, mask, stepEnd, ...models } = inputs as {
        readonly tokens: PerToken<Int32Array>;
        readonly mask: PerToken<Uint8Array>;
        readonly stepEnd: PerToken<Uint8Array>;
      } & Record<string, ModelPort>;
      const after = await models[`model/${by}`].verdicts(tokens);
      const advantage = onSteps(
        stepPlaces(mask, stepEnd),
        mask,
        ({ first, last }, _, r) => after.values[last] - beforeStep(after, r, first),
      );
      return { columns: { advantage } };
    },
  });

/** The row of each state in which a step begins, the step's first token, and the tokens before it. */
const statesOf = (
  steps: readonly (readonly { readonly first: number }[])[],
  tokens: PerToken<Int32Array>,
): Record<'states' | 'begins', readonly number[]> & { readonly prefixes: readonly Int32Array[] } => {
  const begun = steps.flatMap((own, r) => own.map(({ first }) => ({ r, first })));
  return {
    states: begun.map(({ r }) => r),
    begins: begun.map(({ first }) => first),
    prefixes: begun.map(({ r, first }) => rowOf(tokens, r).subarray(0, first - tokens.offsets[r])),
  };
};

/**
 * Targets of a critic of turns, from its own values before this batch is learned from, and from fresh turns of
 * the policy (ArCHer, arXiv:2402.19446, eq. 2 and 3): `credit/action` at a turn's last token is Q ← r + γ·V(s')
 * with V 0 after the last turn, `credit/state` at its first token is V ← Q(s, ã), ã written by the policy now.
 * So stored rows of earlier policies can be used. A state without room for a turn keeps its value.
 */
export const turnTargets = <const C extends string, const P extends string>({
  critic,
  actor,
  gamma,
  step,
}: {
  readonly critic: C;
  readonly actor: P;
  readonly gamma: number;
  readonly step: 'token' | 'turn';
}) =>
  stage({
    id: `turnTargets(${critic}, ${actor}, ${gamma}, ${step})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'stepEnd', 'problem', 'credit/earned', `model/${critic}`, `model/${actor}`],
    adds: ['credit/action', 'credit/state'],
    run: async (inputs, { text }) => {
      const {
        tokens,
        mask,
        stepEnd,
        problem,
        'credit/earned': earned,
        ...models
      } = inputs as Pick<Columns, 'tokens' | 'mask' | 'stepEnd' | 'problem' | 'credit/earned'> &
        Record<string, ModelPort>;
      const values = models[`model/${critic}`];
      const before = await values.verdicts(tokens);
      const steps = stepPlaces(mask, stepEnd);
      const { states, begins, prefixes } = statesOf(steps, tokens);
      const fresh = await models[`model/${actor}`].sample(
        ragged(prefixes, Int32Array),
        states.map((r) => problem[r]),
        Float64Array.from(states.keys()),
        {
          turns: undefined,
          limits: prefixes.map(({ length }) => (step === 'token' ? 1 : text.context - length)),
        },
      );
      const worth = await values.scores(fresh.tokens);
      const action = new Float64Array(mask.values.length);
      const state = new Float64Array(mask.values.length);
      states.forEach((_, at) => {
        state[begins[at]] = worth[at];
      });
      steps.forEach((own, r) =>
        own.forEach(({ first, last }, s) => {
          const next = s + 1 < own.length ? beforeStep(before, r, own[s + 1].first) : 0;
          action[last] = earned.values.subarray(first, last + 1).reduce((a, b) => a + b, 0) + gamma * next;
        }),
      );
      const { offsets } = mask;
      return {
        columns: {
          'credit/action': { axis: 'T', values: action, offsets },
          'credit/state': { axis: 'T', values: state, offsets },
        },
      };
    },
  });

/** σ(logit) at the first token of a step: the probability of success from there. */
const probability = (logit: number): number => 1 / (1 + Math.exp(-logit));

/**
 * Marks with advantage 1 the turns whose doubly robust advantage exceeds a bar, the others with 0, so that the
 * score function imitates the former (DigiRL, arXiv:2406.11896, eq. 4 and 5): A_h = λ^(H−h)·R + (1 −
 * λ^(H−h))·(V(s_{h+1}) + r_h − V(s_h)), r_h 0 before the last turn, V a critic's probability of success; the
 * last turn has A = R. R is the reward clipped to 0–1. The bar is `bar` ⁄ H.
 */
export const turnsAboveBar = ({ lambda, bar }: { readonly lambda: number; readonly bar: number }) =>
  stage({
    id: `turnsAboveBar(${lambda}, ${bar})`,
    station: 'credit',
    needs: ['mask', 'stepEnd', 'values', 'reward/total'],
    adds: ['advantage'],
    run: async ({ mask, stepEnd, values, 'reward/total': rewards_R }) => {
      const steps = stepPlaces(mask, stepEnd);
      const advantage = onSteps(steps, mask, ({ first }, s, r) => {
        const own = steps[r];
        const outcome = Math.min(1, Math.max(0, rewards_R[r]));
        const sure = lambda ** (own.length - 1 - s);
        const next = s + 1 < own.length ? probability(values.values[own[s + 1].first]) : outcome;
        const gain = next - probability(values.values[first]);
        return Number(sure * outcome + (1 - sure) * gain > bar / own.length);
      });
      return { columns: { advantage } };
    },
  });
