import { checkSpec } from '../../engine/index.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import { freezeInputs, resourcesFor } from '../services/resources.ts';
import type { CallOptions } from '../engine-host/process.ts';
import type { Services } from '../services/services.ts';

/** Longest time for two steps, in milliseconds. */
const rehearseMs = 600_000;

export interface PreflightOptions extends CallOptions<'preflight'> {
  readonly dryRun: boolean;
  readonly limitBytes?: number;
}

/**
 * What a run would take. Each part is asked of a process of its own, so that what one has left in memory is
 * not counted as the other's, and a driver that fails fails alone. Two steps are taken only where the run
 * fits. `signal` ends the work at once: `cancelled`.
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
