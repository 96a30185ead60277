import * as z from 'zod';
import type { ErrorFacts } from '../common/errors.ts';

/** Devices that can run graphs. A machine's own are detected at run time. */
export const deviceIds = ['cpu', 'webgpu', 'cuda', 'directml', 'coreml'] as const;
export const DeviceId = z.enum(deviceIds);
export type DeviceId = z.infer<typeof DeviceId>;

/** A device that the runtime supports on this platform. */
export interface DeviceFacts {
  readonly id: DeviceId;
  /** Kind of the device: `WebGPU`. */
  readonly title: string;
  /** The processor's name, if known. */
  readonly name: string | null;
  readonly memoryBytes: number | null;
  /** Threads of one operator on the CPU. */
  readonly threads: number;
  /**
   * True if the runtime includes everything needed for the device; otherwise a provider library must be
   * installed.
   */
  readonly bundled: boolean;
  readonly runtimeVersion: string;
  /** The folder where the runtime looks for provider libraries. */
  readonly libraryFolder: string;
  /** Why it does not compute, if detected. */
  readonly error: ErrorFacts | null;
}

/** Results of a small training run on a device. */
export interface DeviceVerdict {
  /**
   * Largest deviation from the CPU: |Δ| ÷ max(1, |value|) over losses, gradient norms, parameters and
   * generated log-probabilities.
   */
  readonly worst: number;
  readonly seconds: number;
  /** Kinds of nodes that fell back to the CPU, with their number in the graphs. */
  readonly cpuNodes: Readonly<Record<string, number>>;
}
