import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { withPrompts } from '../math/attempts.ts';

/**
 * Puts the plain prompt in place of the one that was shown, so that a better answer is learned as an answer
 * to the problem itself. The record keeps what was shown; `behaviorLogp` stays that of the prompt that was
 * shown, so a ratio to it is an importance weight. Credit comes after this stage.
 */
export const plainPrompts = stage({
  id: 'plainPrompts',
  station: 'context',
  needs: ['tokens', 'mask', 'behaviorLogp', 'keptLogp', 'credit/earned', 'prompt', 'shown'],
  adds: ['tokens', 'mask', 'behaviorLogp', 'keptLogp', 'credit/earned', 'shown'],
  run: async ({ tokens, mask, behaviorLogp, keptLogp, prompt, shown, 'credit/earned': earned }) => {
    const prompts = shown.map((_, r) => rowOf(prompt, r));
    const { starts, ...plain } = withPrompts({ tokens, mask }, prompts);
    const behind = (row: ArrayLike<number>, r: number): number[] => [
      ...Array.from(prompts[r], () => 0),
      ...Array.from(row).slice(starts[r]),
    ];
    const moved = {
      ...plain,
      behaviorLogp: ragged(prompts, Float32Array, (_, r) => behind(rowOf(behaviorLogp, r), r)),
      'credit/earned': ragged(prompts, Float64Array, (_, r) => behind(rowOf(earned, r), r)),
      shown: shown.map(() => ''),
      // missing without filters of the sampling
      ...((keptLogp as typeof keptLogp | undefined) && {
        keptLogp: ragged(prompts, Float32Array, (_, r) => behind(rowOf(keptLogp, r), r)),
      }),
    };
    return { columns: moved as typeof moved & { readonly keptLogp: typeof keptLogp } };
  },
});
