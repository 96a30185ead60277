/**
 * Starts a TypeScript file on a Node that can run it: the current one if it is new enough, else the one in
 * node_modules.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split('.').map(Number);
const runsTypeScript = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
const packaged = join(
  root,
  'node_modules',
  `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);
const node = runsTypeScript ? process.execPath : packaged;
if (!existsSync(node)) {
  console.error(
    `Whetstone needs Node 22.18 or newer (this is ${process.versions.node}). Install it from nodejs.org, ` +
      'or run "npm ci" again where optional packages are allowed.',
  );
  process.exit(1);
}
const child = spawn(node, process.argv.slice(2), {
  stdio: 'inherit',
  env: {
    // keeps compiled TypeScript, which otherwise takes most of a start
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
