import type { DeviceId } from '../../engine/schema/device.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import type { CallOptions } from '../engine-host/process.ts';
import type { Services } from '../services/services.ts';

/** A device that is this slow at bandits of three arms hangs, in milliseconds. */
const limitMs = 900_000;

/**
 * Every closed form on a device, in a process of its own: a driver that fails takes nothing along. `signal`
 * ends the work at once: `cancelled`.
 */
export async function selfTest(
  services: Pick<Services, 'devices' | 'engine'>,
  device: DeviceId,
  follow: CallOptions<'selfTest'>,
): Promise<SelfTestRow[]> {
  await services.devices.require(device);
  return await services.engine.ask('selfTest', { device }, limitMs, follow);
}
