import type { DeviceId } from '../../engine/schema/device.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import type { CallOptions } from '../engine-host/process.ts';
import type { Services } from '../services/services.ts';

/** Time limit in milliseconds: a device that is slower on bandits of three arms has hung. */
const limitMs = 900_000;

/**
 * Computes every closed form on a device, in a process of its own, so that a failing driver affects nothing
 * else. `signal` ends the work at once: `cancelled`.
 */
export async function selfTest(
  services: Pick<Services, 'devices' | 'engine'>,
  device: DeviceId,
  follow: CallOptions<'selfTest'>,
): Promise<SelfTestRow[]> {
  await services.devices.require(device);
  return await services.engine.ask('selfTest', { device }, limitMs, follow);
}
