import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './folder.ts';

/** The bundle of main/cli.ts, which tests/support/build-main.ts keeps up to date. */
const entry = fileURLToPath(new URL('../../dist/main/cli.js', import.meta.url));

/** Runs the command line like a person; `value` is the last line of its standard output as JSON. */
export async function cli(
  ...args: string[]
): Promise<{ code: number; out: string; said: string; value: unknown }> {
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WHETSTONE_CONFIG_DIR: temporaryFolder() },
  });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  const last = out.trimEnd().split('\n').at(-1) ?? '';
  return { code, out, said, value: args.includes('--json') ? JSON.parse(last) : null };
}
