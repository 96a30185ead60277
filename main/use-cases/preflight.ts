import { checkSpec } from '../../engine/index.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import { freezeInputs, resourcesFor } from '../services/resources.ts';
import type { CallOptions } from '../engine-host/process.ts';
import type { Services } from '../services/services.ts';

/** Time limit of two steps, in milliseconds. */
const rehearseMs = 600_000;

export interface PreflightOptions extends CallOptions<'preflight'> {
  readonly dryRun: boolean;
  readonly limitBytes?: number;
}

/**
 * Estimates a run. Each part runs in a process of its own, so that memory left by one is not counted as the
 * other's, and a failing driver fails alone. The two real steps are taken only if the run fits. `signal`
 * ends the work at once: `cancelled`.
 */
export async function preflightOf(
  services: Services,
  given: unknown,
  { dryRun, limitBytes, ...follow }: PreflightOptions,
): Promise<Preflight> {
  const spec = checkSpec(given);
  await services.devices.require(spec.device);
  const resources = await resourcesFor(services, await freezeInputs(services, spec), 'preflight');
  const estimate = await services.engine.ask(
    'preflight',
    { spec, resources, ...(limitBytes !== undefined && { limitBytes }) },
    rehearseMs,
    follow,
  );
  return estimate.fits && dryRun
    ? { ...estimate, dryRun: await services.engine.ask('rehearse', { spec, resources }, rehearseMs, follow) }
    : estimate;
}
