/** Pairs of steps that follow the same state of a tree. */
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { pathsOf, type Path } from '../math/paths.ts';
import type { Step } from '../math/steps.ts';
import type { TreeNode } from '../math/tree.ts';

/** A step of a row: from one state of its path to the next. */
interface Taken {
  readonly path: Path;
  readonly before: TreeNode;
  readonly behind: TreeNode;
}

const gainOf = ({ before, behind }: Taken): number => behind.value - before.value;

/** For each state of the trees, the steps that follow it: one row of each. */
const stepsFrom = (paths: readonly Path[]): ReadonlyMap<TreeNode, readonly Taken[]> => {
  const taken = new Map<TreeNode, Map<TreeNode, Taken>>();
  for (const path of paths)
    path.states.slice(1).forEach((behind, at) => {
      const before = path.states[at];
      const own = taken.get(before) ?? new Map<TreeNode, Taken>();
      if (!own.has(behind)) own.set(behind, { path, before, behind });
      taken.set(before, own);
    });
  return new Map([...taken].map(([node, own]) => [node, [...own.values()]]));
};

/** The first step of a path with its lowest gain, if that is below 0. */
const pitOf = (path: Path): Taken | undefined => {
  const steps = path.states.slice(1).map((behind, at): Taken => ({ path, before: path.states[at], behind }));
  const worst = steps.reduce<Taken | undefined>(
    (found, step) => (found && gainOf(found) <= gainOf(step) ? found : step),
    undefined,
  );
  return worst && gainOf(worst) < 0 ? worst : undefined;
};

const best = (steps: readonly Taken[], sign: 1 | -1): Taken =>
  steps.reduce((found, step) => (sign * (step.behind.value - found.behind.value) > 0 ? step : found));

/**
 * Pairs of steps behind the same beginning, the better one first, by backed-up values that differ by more than
 * `gap`. `every`: the best and the worst step of each state (arXiv:2409.08642). `pit`: of each wrong answer (reward
 * of at most `threshold`) that began at its prompt, the first step with the lowest advantage, against the best
 * step from there (arXiv:2406.14532, per-step DPO). Rows end behind their step, and only it is compared;
 * `row/gain` is V(behind) − V(before). `weigh` multiplies a pair's weight by its difference of values.
 */
export const siblingPairs = ({
  choose,
  gap,
  step,
  weigh = false,
  threshold = 0.5,
}: {
  readonly choose: 'every' | 'pit';
  readonly gap: number;
  readonly step: Step;
  readonly weigh?: boolean;
  readonly threshold?: number;
}) =>
  stage({
    id: `siblingPairs(${choose}, ${gap}, ${step})`,
    station: 'selection',
    needs: ['problem', 'groupId', 'tokens', 'mask', 'weight', 'reward/total', 'row/given'],
    adds: ['tokens', 'mask', 'weight', 'pairId', 'chosen', 'agreement', 'row/gain'],
    run: async (rows, { text }) => {
      const paths = pathsOf(rows, step, text);
      const following = stepsFrom(paths);
      const pits = paths.flatMap((path) =>
        rows['row/given'][path.row] === 0 && rows['reward/total'][path.row] <= threshold
          ? (pitOf(path) ?? [])
          : [],
      );
      const found =
        choose === 'every'
          ? [...following.values()].map((steps) => [best(steps, 1), best(steps, -1)] as const)
          : pits.map((pit) => [best(following.get(pit.before) ?? [pit], 1), pit] as const);
      const pairs = found.filter(([a, b]) => a.behind.value - b.behind.value > gap);
      const sides = pairs.flat();
      return {
        from_R: Uint32Array.from(sides, ({ path }) => path.row),
        columns: {
          tokens: ragged(sides, Int32Array, ({ path, behind }) =>
            rowOf(rows.tokens, path.row).subarray(0, path.start + behind.length),
          ),
          mask: ragged(sides, Uint8Array, ({ path, before, behind }) =>
            Uint8Array.from({ length: path.start + behind.length }, (_, t) =>
              Number(t >= path.start + before.length),
            ),
          ),
          weight: Float64Array.from(
            pairs.flatMap(([a, b]) => [a, b].map(() => (weigh ? a.behind.value - b.behind.value : 1))),
          ),
          pairId: Float64Array.from(sides, (_, r) => r >> 1),
          chosen: Float64Array.from(sides, (_, r) => 1 - (r & 1)),
          agreement: new Float64Array(sides.length).fill(1),
          'row/gain': Float64Array.from(sides, gainOf),
        },
      };
    },
  });
