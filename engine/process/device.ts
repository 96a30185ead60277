import { openDevice, type Device } from '../runtime/index.ts';
import type { DeviceId } from '../schema/device.ts';

const opened = new Map<DeviceId, Promise<Device>>();
/** A device of the process; opening it runs a tiny graph once. */
export const theDevice = (id: DeviceId = 'cpu'): Promise<Device> => {
  const device = opened.get(id) ?? openDevice({ id });
  opened.set(id, device);
  // the caller sees a failure; the next call tries again
  device.catch(() => {
    opened.delete(id);
  });
  return device;
};
