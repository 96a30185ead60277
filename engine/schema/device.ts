import { z } from 'zod';

/** Where graphs run. What a machine offers is found out at run time; see `DeviceInfo`. */
export const deviceIds = ['cpu', 'webgpu', 'cuda', 'directml', 'coreml'] as const;
export const DeviceId = z.enum(deviceIds);
export type DeviceId = z.infer<typeof DeviceId>;
