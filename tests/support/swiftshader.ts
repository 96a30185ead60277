import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const electron = fileURLToPath(new URL('../../node_modules/electron/dist', import.meta.url));
const folders = ['/usr/lib/chromium', '/usr/lib64/chromium', electron];

export const noSwiftShader =
  'no SwiftShader on this machine: its Vulkan driver comes with Chromium (Debian: apt-get install chromium)';

/**
 * Environment in which WebGPU runs on the CPU, through Chromium's Vulkan driver and loader; undefined if
 * they are missing. Its results are those of a GPU, its timings are meaningless.
 */
export function swiftShader(): NodeJS.ProcessEnv | undefined {
  if (process.platform !== 'linux') return undefined;
  const icd = [
    process.env.VK_ICD_FILENAMES,
    ...folders.map((folder) => join(folder, 'vk_swiftshader_icd.json')),
  ].find((path) => path !== undefined && existsSync(path));
  if (icd === undefined) return undefined;
  const libraries = [dirname(icd), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return { ...process.env, VK_ICD_FILENAMES: icd, LD_LIBRARY_PATH: libraries };
}
