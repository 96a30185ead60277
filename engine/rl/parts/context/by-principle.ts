import { WhetstoneError } from '../../../common/errors.ts';
import type { RandomStream } from '../../../random/random.ts';
import type { Columns, TextPort } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { gather, ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

export interface Principles {
  /** A text for each scorer of the run, in their order; the first alone, if the run has none. */
  readonly principles: readonly string[];
  /** Precedes a principle that is to be broken; ends the principles. */
  readonly negation: string;
  readonly end: string;
}

/** Text of some principles in front of a prompt; `sign` is −1 for one that is to be broken. */
export const principleText = (
  drawn: readonly { readonly k: number; readonly sign: number }[],
  { principles, negation, end }: Principles,
): string => `${drawn.map(({ k, sign }) => `${sign < 0 ? negation : ''}${principles[k]}`).join('')}${end}`;

/** Each with probability ½, at least one; each negated with probability ½. */
const drawnOf = (count: number, random: RandomStream) => {
  const one = random.int(count);
  const others = Array.from({ length: count }, () => random.int(2) === 1);
  const some = others.some((is) => is);
  return others.flatMap((is, k) =>
    (some ? is : k === one) ? [{ k, sign: random.int(2) === 1 ? 1 : -1 }] : [],
  );
};

/** P × K: how much better the first answer of each pair is by each principle, in root mean squares of it. */
const gapsOf = async (
  stack: RewardStack<'total'>,
  rows: Pick<Columns, 'problem' | 'tokens' | 'mask' | 'agreement'>,
  { decode, end }: TextPort,
): Promise<Float64Array[]> => {
  const completion = rows.problem.map((_, r) => {
    const answer = rowOf(rows.tokens, r).subarray(Math.max(0, rowOf(rows.mask, r).indexOf(1)));
    return decode(answer[answer.length - 1] === end ? answer.subarray(0, -1) : answer);
  });
  const raw = stack.empty
    ? [rows.agreement.map((a, r) => (r % 2 === 0 ? 2 * a - 1 : 0))]
    : await stack
        .score({ ...rows, completion, ended: new Float64Array(completion.length).fill(1) })
        .then((scored) => stack.scorers.map((name) => scored.raw[name]));
  return raw.map((values) => {
    const gaps = Float64Array.from(
      { length: values.length / 2 },
      (_, p) => values[2 * p] - values[2 * p + 1],
    );
    const size = Math.sqrt(gaps.reduce((sum, gap) => sum + gap * gap, 0) / Math.max(1, gaps.length));
    return size === 0 ? gaps : gaps.map((gap) => gap / size);
  });
};

/**
 * Writes principles in front of both prompts of each pair, some of them negated, and prefers the answer that
 * fits the one by which the two differ most (SALMON, arXiv:2310.05910, section 3.2). A principle is one of the
 * run's scorers, or the stored preference if it has none. Answers that no principle tells apart are a tie.
 */
export const byPrinciple = (stack: RewardStack<'total'>, texts: Principles) => {
  const count = Math.max(1, stack.scorers.length);
  if (texts.principles.length < count)
    throw new WhetstoneError(
      'invalid-input',
      `The run has ${count} scorers, and ${texts.principles.length} of them have the text of a principle.`,
      { where: 'method.params.principles', hint: 'Write one principle for each scorer, in their order.' },
    );
  return stage({
    id: `byPrinciple(${count})`,
    station: 'context',
    needs: ['tokens', 'mask', 'problem', 'agreement'],
    adds: ['tokens', 'mask', 'agreement'],
    run: async (rows, { text, random }) => {
      const gaps = await gapsOf(stack, rows, text);
      const draw = random('principles');
      const pairs = Array.from({ length: rows.problem.length / 2 }, (_, p) => {
        const drawn = drawnOf(count, draw);
        const gap = drawn.reduce((most, { k, sign }) => {
          const own = sign * gaps[k][p];
          return Math.abs(own) > Math.abs(most) ? own : most;
        }, 0);
        return { front: principleText(drawn, texts), gap };
      });
      const from_R = Uint32Array.from(rows.problem, (_, r) => (pairs[r >> 1].gap < 0 ? r ^ 1 : r));
      const made = Array.from(from_R, (from, r) => {
        const head = text.prompt(`${pairs[r >> 1].front}${rows.problem[from].prompt}`);
        const start = Math.max(0, rowOf(rows.mask, from).indexOf(1));
        return {
          tokens: [...head, ...rowOf(rows.tokens, from).subarray(start)].slice(0, text.context),
          mask: [...head.map(() => 0), ...rowOf(rows.mask, from).subarray(start)].slice(0, text.context),
        };
      });
      return {
        columns: {
          tokens: ragged(made, Int32Array, (row) => row.tokens),
          mask: ragged(made, Uint8Array, (row) => row.mask),
          agreement: gather(rows.agreement, from_R).map((_, r) => (pairs[r >> 1].gap === 0 ? 0.5 : 1)),
        },
        from_R,
      };
    },
  });
};
