import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import type { SampleTokens } from '../../preload/contract/samples.ts';
import { placeOf } from '../services/opened-model.ts';
import type { Services } from '../services/services.ts';

/** The checkpoint whose step is nearest, the later of two; undefined without any. */
export const nearest = <C extends Pick<Checkpoint, 'step'>>(
  checkpoints: readonly C[],
  step: number,
): C | undefined =>
  checkpoints.toSorted((a, b) => Math.abs(a.step - step) - Math.abs(b.step - step) || b.step - a.step)[0];

/**
 * The tokens of a stored answer with their stored log-probabilities, and with log-probability and entropy
 * recomputed by a checkpoint, since the latter are not stored. Throws `not-found` if the run has none.
 */
export async function sampleTokens(
  services: Services,
  id: string,
  checkpointId: string | null,
): Promise<SampleTokens> {
  const { store, engine } = services;
  const { runId, step, temperature, promptLength } = await store.sampled.origin(id);
  const checkpoint = checkpointId
    ? await store.checkpoints.get(checkpointId)
    : nearest(
        (await store.checkpoints.list(runId)).filter(({ head }) => head === 'next-token'),
        step,
      );
  if (!checkpoint)
    throw new WhetstoneError('not-found', 'The run has no checkpoint of its policy.', {
      where: runId,
      hint: 'Tokens are recomputed by the checkpoint nearest to the answer. Keep checkpoints of the next run.',
    });
  const { tokens, behaviorLogp } = await store.samples.tokens(id);
  const place = await placeOf(services, { kind: 'checkpoint', id: checkpoint.id });
  const found = await engine.call('tokenFacts', {
    folder: place.folder,
    ...(place.base && { base: place.base }),
    tokens: [...tokens],
    promptLength,
    temperature,
  });
  return {
    checkpointId: checkpoint.id,
    checkpointStep: checkpoint.step,
    step,
    tokens: found.map((token, at) => ({ ...token, sampled: behaviorLogp[at] })),
  };
}
