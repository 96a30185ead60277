/** Runs graphs. The only part of the engine that imports onnxruntime-node. */
export { CACHE_BYTES, Device, openDevice, type DeviceOptions, type ProgramPlan } from './device.ts';
export { Program, valuesOf, type Feeds, type Outputs, type Values } from './program.ts';
export { hardwareOf, parseNvidia, type Hardware } from './hardware.ts';
export { libraryFolder, offered, runtimeVersion } from './providers.ts';
export { threadCount } from './threads.ts';
export { Tally } from './tally.ts';
