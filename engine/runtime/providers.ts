import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ort, { listSupportedBackends } from 'onnxruntime-node';
import type { Target } from '../onnx/targets.ts';
import type { DeviceId } from '../schema/device.ts';

/** How the runtime reaches one kind of device. */
export interface Provider {
  /** Its name in the runtime's own list. */
  readonly backend: string;
  readonly title: string;
  /** Target whose nodes its graphs use. */
  readonly target: Target;
  /**
   * Where arrays live between runs: in host memory, in device memory, or in host memory behind a bus that
   * every feed and output crosses.
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

/** The kinds of device that this build of the runtime supports, and whether their libraries are installed. */
export const offered = (): { readonly id: DeviceId; readonly title: string; readonly bundled: boolean }[] => {
  const backends = new Map(listSupportedBackends().map(({ name, bundled }) => [name, bundled]));
  return (Object.keys(providers) as DeviceId[]).flatMap((id) => {
    const bundled = backends.get(providers[id].backend);
    return bundled === undefined ? [] : [{ id, title: providers[id].title, bundled }];
  });
};

export const runtimeVersion: string = ort.env.versions.node ?? ort.env.versions.common;

/** The folder of the runtime's own library, the only place where it looks for provider libraries. */
export const libraryFolder = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')),
    'bin',
    'napi-v6',
    process.platform,
    process.arch,
  );
