/** A policy's answers, with their rewards, as tasks for the policy itself. */
import type { Columns, ModelPort, Problem } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import type { VerdictWords } from '../../kernel/recipe.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { verdictsOf } from '../math/written-verdicts.ts';
import { asReply, replyColumns, writtenBy } from '../math/replies.ts';

/** Judge an answer; say whether the first of two is better; write a better one. By number of cues. */
const KINDS = 3;
const [POINT, PAIR, FIX] = [0, 1, 2];

type Rows = Pick<Columns, 'problem' | 'sample' | 'completion' | 'groupId' | 'reward/total'>;

/** The other answer of each row's pair: the next one of its group; itself in a group of one. */
const partners = (groupId: Float64Array): Uint32Array => {
  const next = Uint32Array.from(groupId.keys());
  for (const rows of groupsOf(groupId)) rows.forEach((r, at) => (next[r] = rows[(at + 1) % rows.length]));
  return next;
};

/**
 * Recycles verified answers in the same step (arXiv:2509.22624): in turn, the policy judges an answer, tells
 * which of two is better, or reads one and writes its own; as many cues as the number of the kind stand behind.
 * A verdict earns 1 if it agrees with the rewards; the new answer earns its own reward. Two answers that are
 * equally good are no task.
 */
export const recycle = <const M extends string>(
  stack: RewardStack<'total'>,
  { by, right, wrong, cue }: VerdictWords & { readonly by: M },
) =>
  stage({
    id: `recycle(${by}, ${right}, ${wrong}, ${cue})`,
    station: 'scorers',
    byText: true,
    needs: ['problem', 'sample', 'completion', 'groupId', 'reward/total', `model/${by}`],
    adds: [...replyColumns, 'row/reply-earned', 'row/reply-counts', 'row/own-group', 'row/reply-group'],
    run: async (inputs, { rewards = stack, progress }) => {
      const {
        problem,
        sample,
        completion,
        groupId,
        'reward/total': earned,
        ...models
      } = inputs as Rows & Record<string, ModelPort>;
      const other = partners(groupId);
      const kind = groupId.map((_, r) => r % KINDS);
      const shown = problem.map(({ prompt }: Problem, r) => ({
        shown: prompt + completion[r] + (kind[r] === PAIR ? cue + completion[other[r]] : ''),
        cue: cue.repeat(kind[r] + 1),
      }));
      const numbers = sample.map((number) => number + sample.length);
      const replies = await writtenBy(models[`model/${by}`], shown, problem, numbers);
      const fixed = await rewards.score({ problem, ...replies }, progress);
      const agrees = (r: number): number => {
        const verdict = verdictsOf(replies.completion[r], { right, wrong }, 1);
        const truth = kind[r] === POINT ? earned[r] > 0.5 : earned[r] > earned[other[r]];
        return Number(verdict !== null && verdict[0] === truth);
      };
      const replied = groupId.map((_, r) => (kind[r] === FIX ? fixed.value[r] : agrees(r)));
      return {
        columns: {
          ...asReply(replies),
          'row/reply-earned': replied,
          'row/reply-counts': groupId.map((_, r) =>
            Number(kind[r] !== PAIR || earned[r] !== earned[other[r]]),
          ),
          'row/own-group': groupId,
          'row/reply-group': kind.map((each) => -1 - each),
        },
        raw: { recycled: replied },
      };
    },
  });
