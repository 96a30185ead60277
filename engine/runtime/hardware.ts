import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DeviceId } from '../schema/device.ts';

export interface Hardware {
  readonly name: string | null;
  readonly memoryBytes: number | null;
}
const unknown: Hardware = { name: null, memoryBytes: null };

const TIMEOUT_MS = 3000;

/**
 * Output of a program, or undefined if it is missing or does not answer: the hardware name is then unknown.
 */
const outputOf = async (program: string, ...args: string[]): Promise<string> => {
  try {
    return (await promisify(execFile)(program, args, { timeout: TIMEOUT_MS, windowsHide: true })).stdout;
  } catch {
    return '';
  }
};

/** The first GPU that NVIDIA's driver names: `NVIDIA H200, 143771` (MiB). */
export const parseNvidia = (text: string): Hardware | undefined => {
  const [, name, mebibytes] = /^(.+), *(\d+)\s*$/m.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.trim(), memoryBytes: Number(mebibytes) * 2 ** 20 };
};

/** Memory of the largest card reported by the kernel driver (AMD). */
const fromKernel = async (folder = '/sys/class/drm'): Promise<Hardware | undefined> => {
  const cards = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    cards.map((card) =>
      readFile(join(folder, card, 'device', 'mem_info_vram_total'), 'utf8').then(Number, () => 0),
    ),
  );
  const most = Math.max(0, ...sizes);
  return most > 0 ? { name: null, memoryBytes: most } : undefined;
};

const gpu = async (): Promise<Hardware> => {
  const nvidia = parseNvidia(
    await outputOf('nvidia-smi', '--query-gpu=name,memory.total', '--format=csv,noheader,nounits'),
  );
  if (nvidia) return nvidia;
  if (process.platform === 'linux') return (await fromKernel()) ?? unknown;
  // Apple's processors share their memory with the GPU
  if (process.platform === 'darwin')
    return { name: cpus()[0]?.model.trim() ?? null, memoryBytes: totalmem() };
  return unknown;
};

/** Name and memory of the hardware behind each kind of device, as far as the system reports them. */
export const hardwareOf = async (ids: readonly DeviceId[]): Promise<Readonly<Record<DeviceId, Hardware>>> => {
  const cpu: Hardware = { name: cpus()[0]?.model.trim() ?? null, memoryBytes: totalmem() };
  const other = ids.some((id) => id !== 'cpu') ? await gpu() : unknown;
  return { cpu, webgpu: other, cuda: other, directml: other, coreml: other };
};
