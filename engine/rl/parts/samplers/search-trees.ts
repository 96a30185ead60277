/** Trees of answers, searched for good ones while they grow. */
import type { ModelPort } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import type { Start } from '../math/forest.ts';
import { type OpenTree, ScoredForest, scoredColumns } from '../math/scored-forest.ts';
import type { Step } from '../math/steps.ts';
import type { TreeNode } from '../math/tree.ts';

/**
 * Values of the states, for the upper confidence bounds by which a search descends: backed up from the rewards of
 * the tree's answers (`bounds`), or a critic's.
 */
export type Select = 'bounds' | 'critic';

export interface SearchPlan {
  readonly groupSize: number;
  readonly width: number;
  readonly explore: number;
  readonly step: Step;
  readonly select: Select;
}

/** Number of a state of a tree; the search prefers larger ones. */
type Worth = (node: TreeNode) => number;

/**
 * Descends from the root to a state that fewer than `width` answers were drawn from, each time to the child
 * with the largest V + explore · √(ln N ⁄ n); null if every state below is spent or an end.
 */
export const byBounds = (
  tree: OpenTree,
  worth: Worth,
  { width, explore }: Pick<SearchPlan, 'width' | 'explore'>,
): TreeNode | null => {
  const within = (node: TreeNode): TreeNode | null => {
    if (tree.isEnd(node)) return null;
    if (node.visits < width) return node;
    const bound = (child: TreeNode): number =>
      worth(child) + explore * Math.sqrt(Math.log(Math.max(node.visits, 1)) / Math.max(child.visits, 1e-9));
    for (const child of tree.children(node).toSorted((a, b) => bound(b) - bound(a))) {
      const found = within(child);
      if (found) return found;
    }
    return null;
  };
  return within(tree.root);
};

/** A critic's values of the states of each answer, asked once. */
class Judged {
  readonly #byAnswer: Float32Array[] = [];
  readonly #critic: ModelPort;

  constructor(critic: ModelPort) {
    this.#critic = critic;
  }

  async follow({ forest: { answers } }: ScoredForest): Promise<void> {
    const fresh = answers.slice(this.#byAnswer.length);
    if (fresh.length === 0) return;
    const values = await this.#critic.values(ragged(fresh, Int32Array, ({ tokens }) => tokens));
    fresh.forEach((_, r) => this.#byAnswer.push(rowOf(values, r).slice()));
  }

  /** The value of the state before the token at a position of an answer. */
  at(number: number, position: number): number {
    return this.#byAnswer[number][position] ?? 0;
  }
}

/**
 * Grows a tree of `groupSize` answers to each prompt: `width` from the prompt, then `width` more from one state of
 * the tree at a time. A state is the end of a step. Every answer goes on to its end and is scored, which values the
 * states on its way: Monte Carlo tree search with rollouts by the policy.
 */
export const searchTrees = (reward: RewardStack<'total'>, plan: SearchPlan) => {
  const { groupSize, width, step, select } = plan;
  return stage({
    id: `searchTrees(${select}, ${groupSize}, ${width}, ${plan.explore}, ${step})`,
    station: 'sampler',
    continues: true,
    needs: ['problem', 'prompt', 'model/critic'],
    adds: scoredColumns,
    run: async ({ problem, prompt, 'model/critic': critic }, context) => {
      const search = new ScoredForest({ problem, prompt }, reward, context);
      const judged = new Judged(critic);
      const { answers } = search.forest;
      const next = (place: number): Start => {
        const tree = search.treeOf(place, step);
        if (!tree) return { place };
        const worth = (node: TreeNode): number => {
          if (select === 'bounds' || tree.isEnd(node)) return node.value;
          const number = tree.through(node);
          const { tokens, answer } = answers[number];
          return judged.at(number, tokens.length - answer.length + node.length);
        };
        const found = byBounds(tree, worth, plan);
        return found ? { place, from: tree.through(found), kept: found.length } : { place };
      };
      for (let done = 0; done < groupSize; done += width) {
        const starts = problem.flatMap((_, place) =>
          Array<Start>(Math.min(width, groupSize - done)).fill(next(place)),
        );
        await search.grow(starts);
        if (select === 'critic') await judged.follow(search);
      }
      return search.change();
    },
  });
};
