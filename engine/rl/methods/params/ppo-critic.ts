import * as part from '../../parts/index.ts';
import { critic } from '../../kernel/recipe.ts';
import { sum, weighted } from '../../kernel/objective.ts';
import { pipe } from '../../kernel/stage.ts';

/** The critic of PPO: learns the returns of the buffer `rollouts`, near its old values. */
export const ppoCritic = ({ valueClip, epochs }: { readonly valueClip: number; readonly epochs: number }) =>
  critic({
    rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'values', 'returns'])),
    objective: part.clippedValue({ clip: valueClip }),
    epochs,
  });

/** The objective of PPO's policy. */
export const ppoObjective = ({
  clip,
  entropyWeight,
}: {
  readonly clip: number;
  readonly entropyWeight: number;
}) =>
  sum(
    part.clippedSurrogate({ clipLow: clip, clipHigh: clip, average: 'token' }),
    weighted(entropyWeight, part.entropyBonus),
  );
