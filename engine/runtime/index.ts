/** Runs graphs. The only part of the engine that knows onnxruntime-node. */
export { Device, openDevice, type DeviceOptions, type ProgramPlan } from './device.ts';
export { Program, valuesOf, type Feeds, type Outputs, type Values } from './program.ts';
