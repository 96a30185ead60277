/** Credit of steps by values backed up the tree of a prompt's answers. */
import { stage } from '../../kernel/stage.ts';
import { pathsOf } from '../math/paths.ts';
import type { Step } from '../math/steps.ts';

/**
 * Backed-up values of the tree of each group, by steps of the sampled tokens: `stepEnd` marks where a state ends,
 * `credit/step` has there V(state behind the step) − V(state before it), and `returns` on each token the value of
 * the state before its step: the target of a critic. `row/root` is the value of the state that a row began in.
 */
export const treeValues = ({ step }: { readonly step: Step }) =>
  stage({
    id: `treeValues(${step})`,
    station: 'credit',
    needs: ['problem', 'groupId', 'tokens', 'mask', 'weight', 'reward/total', 'row/given'],
    adds: ['stepEnd', 'credit/step', 'returns', 'row/root'],
    run: async (rows, { text }) => {
      const { mask } = rows;
      const stepEnd = new Uint8Array(mask.values.length);
      const [credit, returns] = [0, 1].map(() => new Float64Array(mask.values.length));
      const root = new Float64Array(rows.weight.length);
      for (const { row, start, states } of pathsOf(rows, step, text)) {
        const first = mask.offsets[row] + start;
        root[row] = states[0].value;
        states.slice(1).forEach((state, at) => {
          const before = states[at];
          stepEnd[first + state.length - 1] = 1;
          credit[first + state.length - 1] = state.value - before.value;
          returns.fill(before.value, first + before.length, first + state.length);
        });
      }
      const { offsets } = mask;
      return {
        columns: {
          stepEnd: { ...mask, values: stepEnd },
          'credit/step': { axis: 'T', values: credit, offsets },
          returns: { axis: 'T', values: returns, offsets },
          'row/root': root,
        },
      };
    },
  });
