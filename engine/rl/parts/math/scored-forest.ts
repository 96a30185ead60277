/** A forest whose answers are scored as they grow, so that their values choose where the next ones begin. */
import type { Columns } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import type { StageContext } from '../../kernel/stage.ts';
import { columnsOf, Forest, forestColumns, type Start } from './forest.ts';
import { type Step, stepLengths } from './steps.ts';
import { type Leaf, type TreeNode, treeOf } from './tree.ts';

export const scoredColumns = [...forestColumns, 'reward/total'] as const;

/** The tree of one prompt, with what a search needs: states in reading order, and what follows each. */
export interface OpenTree {
  readonly root: TreeNode;
  readonly nodes: readonly TreeNode[];
  children(node: TreeNode): readonly TreeNode[];
  parent(node: TreeNode): TreeNode | undefined;
  /** True for a state in which an answer ended. */
  isEnd(node: TreeNode): boolean;
  /** An answer that passes a state: its number in the forest. */
  through(node: TreeNode): number;
}

export class ScoredForest {
  readonly forest: Forest;
  readonly rewards: number[] = [];
  readonly #stack: RewardStack<'total'>;
  readonly #context: StageContext;
  readonly #raw = new Map<string, number[]>();

  constructor(
    source: Pick<Columns, 'problem' | 'prompt'>,
    stack: RewardStack<'total'>,
    context: StageContext,
  ) {
    this.forest = new Forest(source, context);
    this.#stack = context.rewards ?? stack;
    this.#context = context;
  }

  /** Samples and scores an answer from each start; returns their numbers. */
  async grow(starts: readonly Start[]): Promise<readonly number[]> {
    const numbers = await this.forest.grow(starts);
    if (numbers.length === 0) return numbers;
    const rows = columnsOf(numbers.map((number) => this.forest.answers[number]));
    const { value, raw } = await this.#stack.score(rows, this.#context.progress);
    this.rewards.push(...value);
    for (const [scorer, values] of Object.entries(raw))
      this.#raw.set(scorer, [...(this.#raw.get(scorer) ?? []), ...values]);
    return numbers;
  }

  /** The tree of the answers to one prompt so far; undefined without any. */
  treeOf(place: number, step: Step): OpenTree | undefined {
    const own = [...this.forest.answers.keys()].filter((n) => this.forest.answers[n].place === place);
    if (own.length === 0) return undefined;
    const leaves = own.map((number): Leaf => {
      const { answer, given, weight } = this.forest.answers[number];
      const ends = stepLengths(answer, step, this.#context.text);
      return { tokens: answer, given, ends, value: this.rewards[number], weight };
    });
    const { paths } = treeOf(leaves);
    const nodes = [...new Set(paths.flat())].sort((a, b) => a.length - b.length);
    const parents = new Map(
      paths.flatMap((path) => path.slice(1).map((node, at): [TreeNode, TreeNode] => [node, path[at]])),
    );
    const ends = new Set(paths.map((path) => path[path.length - 1]));
    return {
      root: nodes[0],
      nodes,
      children: (node) => nodes.filter((each) => parents.get(each) === node),
      parent: (node) => parents.get(node),
      isEnd: (node) => ends.has(node),
      through: (node) => own[node.leaves[0]],
    };
  }

  /** The rows, as a sampler returns them. */
  change() {
    const { columns, from_R, order } = this.forest.change();
    return {
      from_R,
      columns: { ...columns, 'reward/total': Float64Array.from(order, (number) => this.rewards[number]) },
      raw: Object.fromEntries(
        [...this.#raw].map(([scorer, values]) => [scorer, Float64Array.from(order, (n) => values[n])]),
      ),
    };
  }
}
