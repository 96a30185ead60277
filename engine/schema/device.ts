import { z } from 'zod';
import type { ErrorFacts } from '../common/errors.ts';

/** Where graphs run. What a machine offers is found out at run time. */
export const deviceIds = ['cpu', 'webgpu', 'cuda', 'directml', 'coreml'] as const;
export const DeviceId = z.enum(deviceIds);
export type DeviceId = z.infer<typeof DeviceId>;

/** A device that the runtime knows on this platform. */
export interface DeviceFacts {
  readonly id: DeviceId;
  /** What kind of device it is: `WebGPU`. */
  readonly title: string;
  /** The processor's own name, where it is known. */
  readonly name: string | null;
  readonly memoryBytes: number | null;
  /** Threads of one operator on the CPU. */
  readonly threads: number;
  /**
   * Whether the runtime comes with all that it needs to reach the device; otherwise a provider library must
   * be installed.
   */
  readonly bundled: boolean;
  readonly runtimeVersion: string;
  /** Where the runtime looks for provider libraries. */
  readonly libraryFolder: string;
  /** Why it does not compute, where that was seen at once. */
  readonly error: ErrorFacts | null;
}

/** What a small training run on a device has shown. */
export interface DeviceVerdict {
  /**
   * Largest deviation from the CPU: |Δ| ÷ max(1, |value|) over losses, gradient norms, parameters and
   * generated log-probabilities.
   */
  readonly worst: number;
  readonly seconds: number;
  /** Kinds of nodes that ran on the CPU in the device's place, with how often each stands in the graphs. */
  readonly cpuNodes: Readonly<Record<string, number>>;
}
