/** Answers that a policy and a guide write together: one rolls in, the other rolls out. */
import type { Answers, Columns, ModelPort, PerToken, Problem } from '../../kernel/columns.ts';
import { gather, lengthsOf, ragged, rowOf } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { sampleNumbers } from './sample-groups.ts';

/**
 * `prefix`: the guide rolls in, the policy goes on (PPO++). `rollout`: the policy rolls in and takes one step,
 * the guide goes on (AggreVaTeD). `rollout-first`: the second, then the first (D²LOLS).
 */
export type GuideUse = 'prefix' | 'rollout' | 'rollout-first';

interface Asked {
  readonly prompt: PerToken<Int32Array>;
  readonly problem: readonly Problem[];
  readonly sample: Float64Array;
}
type Written = Pick<Answers, 'tokens' | 'mask' | 'behaviorLogp' | 'completion' | 'ended' | 'keptLogp'>;

const rowsOf = ({ prompt, problem, sample }: Asked, from_R: Uint32Array): Asked => ({
  prompt: gather(prompt, from_R),
  problem: gather(problem, from_R),
  sample: gather(sample, from_R),
});

/** The policy continues guides' answers, cut at a random token, in `share` of the rows. */
const continued = async (
  asked: Asked,
  guide: ModelPort,
  share: number,
  { random, text, sample }: StageContext,
): Promise<Written> => {
  const draw = random('guided rows');
  const guided = Uint32Array.from([...asked.sample.keys()].filter(() => draw.next() < share));
  const theirs = rowsOf(asked, guided);
  const written = guided.length > 0 && (await guide.sample(theirs.prompt, theirs.problem, theirs.sample));
  const shown = asked.problem.map(() => new Int32Array());
  guided.forEach((r, at) => {
    if (!written) return;
    const answer = rowOf(written.tokens, at).subarray(rowOf(asked.prompt, r).length);
    shown[r] = answer.slice(0, draw.int(Math.max(1, answer.length)));
  });
  const starts = ragged(shown, Int32Array, (prefix, r) => [...rowOf(asked.prompt, r), ...prefix]);
  const limits = shown.map((prefix) => text.maxTokens - prefix.length);
  const answers = await sample(starts, asked.problem, asked.sample, { limits });
  return {
    ...answers,
    completion: answers.completion.map((rest, r) => text.decode(shown[r]) + rest),
  };
};

/** The values of a column at one place per row, in rows of other lengths. */
const only = <V extends Uint8Array | Float32Array>(
  from: PerToken<V>,
  places_R: ArrayLike<number>,
  lengths_R: ArrayLike<number>,
): PerToken<V> =>
  ragged(
    Array.from(lengths_R, (n, r) => {
      const row = new Array<number>(n).fill(0);
      if (places_R[r] >= 0) row[places_R[r]] = rowOf(from, r)[places_R[r]];
      return row;
    }),
    from.values.constructor as new (length: number) => V,
  );

/** The guide completes the policy's answers behind one random token, which alone is trained. */
const completed = async (
  asked: Asked,
  guide: ModelPort,
  { random, text, sample }: StageContext,
): Promise<Written> => {
  const own = await sample(asked.prompt, asked.problem, asked.sample);
  const draw = random('step of each row');
  const lengths_R = lengthsOf(own.tokens);
  const step_R = Array.from(lengths_R, (_, r) => {
    const places = [...rowOf(own.mask, r).keys()].filter((t) => rowOf(own.mask, r)[t] === 1);
    return places.length === 0 ? -1 : places[draw.int(places.length)];
  });
  // an answer whose last token is the step is left to nobody
  const open = Uint32Array.from(
    [...step_R.keys()].filter((r) => step_R[r] >= 0 && step_R[r] < lengths_R[r] - 1),
  );
  const starts = Array.from(open, (r) => rowOf(own.tokens, r).slice(0, step_R[r] + 1));
  const begun = (r: number, start: Int32Array) => start.subarray(rowOf(asked.prompt, r).length);
  const rest = rowsOf(asked, open);
  const theirs =
    open.length > 0
      ? await guide.sample(ragged(starts, Int32Array), rest.problem, rest.sample, {
          limits: starts.map((start, at) => text.maxTokens - begun(open[at], start).length),
        })
      : undefined;
  const tokens = Array.from(lengths_R, (_, r) => rowOf(own.tokens, r));
  const completion = [...own.completion];
  const ended = own.ended.slice();
  open.forEach((r, at) => {
    if (!theirs) return;
    tokens[r] = rowOf(theirs.tokens, at);
    completion[r] = text.decode(begun(r, starts[at])) + theirs.completion[at];
    ended[r] = theirs.ended[at];
  });
  const placed = tokens.map((row) => row.length);
  return {
    tokens: ragged(tokens, Int32Array),
    mask: only(own.mask, step_R, placed),
    behaviorLogp: only(own.behaviorLogp, step_R, placed),
    ...(own.keptLogp && { keptLogp: only(own.keptLogp, step_R, placed) }),
    completion,
    ended,
  };
};

/**
 * One answer per prompt, written by the policy and the role `guide` together (arXiv:2306.11816, algorithms 1
 * to 3); only the policy's own tokens are in the mask. `share` is the probability that the guide rolls in;
 * `until` the share of the run after which `rollout-first` changes over.
 */
export const sampleWithGuide = ({
  use,
  share,
  until,
}: {
  readonly use: GuideUse;
  readonly share: number;
  readonly until: number;
}) =>
  stage({
    id: `sampleWithGuide(${use}, ${share}, ${until})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt', 'model/guide'],
    adds: ['groupId', 'sample', 'weight', 'tokens', 'mask', 'behaviorLogp', 'completion', 'ended'],
    run: async ({ promptId, problem, prompt, 'model/guide': guide }, context) => {
      const sample = sampleNumbers(promptId, 1);
      const rollsOut = use === 'rollout' || (use === 'rollout-first' && context.progress < until);
      const asked = { prompt, problem, sample };
      const written = rollsOut
        ? await completed(asked, guide, context)
        : await continued(asked, guide, share, context);
      const rest: Pick<Columns, 'groupId' | 'sample' | 'weight'> = {
        groupId: Float64Array.from(problem.keys()),
        sample,
        weight: new Float64Array(problem.length).fill(1),
      };
      return { columns: { ...written, ...rest } };
    },
  });
