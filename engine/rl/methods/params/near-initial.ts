import * as part from '../../parts/index.ts';
import { sum, weighted } from '../../kernel/objective.ts';

/** The clipped surrogate, and the divergence from the model that the role began as. */
export const nearInitial = ({ clip, klWeight }: { readonly clip: number; readonly klWeight: number }) =>
  sum(
    part.clippedSurrogate({ clipLow: clip, clipHigh: clip }),
    weighted(klWeight, part.klToReference({ estimator: 'k3' })),
  );
