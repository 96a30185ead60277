import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ort, { listSupportedBackends } from 'onnxruntime-node';
import type { Target } from '../onnx/targets.ts';
import type { DeviceId } from '../schema/device.ts';

/** How one kind of device is reached. */
export interface Provider {
  /** Its name in the runtime's own list. */
  readonly backend: string;
  readonly title: string;
  /** Whose nodes its graphs are made of. */
  readonly target: Target;
  /**
   * Where arrays live between runs: in the host's memory, in the device's own, or in the host's behind a bus,
   * which whatever a run reads and writes must cross.
   */
  readonly memory: 'host' | 'device' | 'bus';
  readonly executionProviders: readonly ort.InferenceSession.ExecutionProviderConfig[];
}

export const providers: { readonly [D in DeviceId]: Provider } = {
  cpu: { backend: 'cpu', title: 'CPU', target: 'cpu', memory: 'host', executionProviders: ['cpu'] },
  // Buffers are reused for the very same size only: shapes are static, so rounding sizes up would only cost
  // memory.
  webgpu: {
    backend: 'webgpu',
    title: 'WebGPU',
    target: 'webgpu',
    memory: 'device',
    executionProviders: [{ name: 'webgpu', storageBufferCacheMode: 'simple' }, 'cpu'],
  },
  cuda: {
    backend: 'cuda',
    title: 'CUDA',
    target: 'plain',
    memory: 'bus',
    executionProviders: ['cuda', 'cpu'],
  },
  directml: {
    backend: 'dml',
    title: 'DirectML',
    target: 'plain',
    memory: 'bus',
    executionProviders: ['dml', 'cpu'],
  },
  coreml: {
    backend: 'coreml',
    title: 'CoreML',
    target: 'plain',
    memory: 'host',
    executionProviders: ['coreml', 'cpu'],
  },
};

/** The kinds of device that this build of the runtime knows, and whether it comes with what they need. */
export const offered = (): { readonly id: DeviceId; readonly title: string; readonly bundled: boolean }[] => {
  const backends = new Map(listSupportedBackends().map(({ name, bundled }) => [name, bundled]));
  return (Object.keys(providers) as DeviceId[]).flatMap((id) => {
    const bundled = backends.get(providers[id].backend);
    return bundled === undefined ? [] : [{ id, title: providers[id].title, bundled }];
  });
};

export const runtimeVersion: string = ort.env.versions.node ?? ort.env.versions.common;

/** The folder of the runtime's own library: it looks for provider libraries there and nowhere else. */
export const libraryFolder = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')),
    'bin',
    'napi-v6',
    process.platform,
    process.arch,
  );
