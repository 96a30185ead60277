/**
 * Entry point of the sandbox process: tasks come in, outcomes go out, sequentially. It starts without
 * permissions and may be killed at any time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openJavaScript, type JavaScript } from './javascript.ts';
import { defaultLimits, type FromSandbox, type Task, type ToSandbox } from '../../schema/sandbox.ts';
import { openSqlite } from './sqlite.ts';
import { watchStarter } from '../../watchdog/index.ts';

/** Electron's `process.parentPort` of a utility process; absent in a forked Node process. */
interface ParentPort {
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

watchStarter();

/** Bytes of a WebAssembly module next to this file (in a bundle), or in its package. */
const wasm = (name: string, inPackage: string): ArrayBuffer => {
  const bundled = new URL(name, import.meta.url);
  return new Uint8Array(
    readFileSync(existsSync(bundled) ? bundled : createRequire(import.meta.url).resolve(inPackage)),
  ).buffer;
};

const openJs = (memoryBytes: number) =>
  openJavaScript(wasm('quickjs.wasm', '@jitl/quickjs-ng-wasmfile-release-sync/wasm'), memoryBytes);

// both are compiled before the first task, since its time is measured
let javascript: { readonly memoryBytes: number; readonly engine: JavaScript } = {
  memoryBytes: defaultLimits.memoryBytes,
  engine: await openJs(defaultLimits.memoryBytes),
};
const sqlite = await openSqlite(wasm('sqlite.wasm', 'sql.js/dist/sql-wasm.wasm'));

const run = async (task: Task, limits: ToSandbox['limits']) => {
  if (task.kind === 'sql') return { outcome: sqlite.run(task, limits), broken: false };
  if (javascript.memoryBytes !== limits.memoryBytes)
    javascript = { memoryBytes: limits.memoryBytes, engine: await openJs(limits.memoryBytes) };
  return javascript.engine.run(task, limits);
};

const port = (process as { parentPort?: ParentPort }).parentPort;
/** Resolves when the message has been sent, since the next task may never return. */
const send = (message: FromSandbox): Promise<void> => {
  if (port) {
    port.postMessage(message);
    return Promise.resolve();
  }
  return new Promise((sent) => {
    process.send?.(message, undefined, undefined, () => sent());
  });
};

/**
 * Processor time after which the process exits between tasks and is replaced. Where the system supports it,
 * the process also has a hard limit, so that it ends even if its parent died during an endless query.
 */
const ENOUGH_CPU_MS = 20_000;
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const answer = async ({ batch, tasks, limits }: ToSandbox): Promise<void> => {
  for (const [at, task] of tasks.entries()) {
    const { outcome, broken } = await run(task, limits);
    const leaving = broken || cpuMs() > ENOUGH_CPU_MS;
    await send({ type: 'outcome', batch, at, outcome, leaving });
    if (leaving) process.exit(0);
  }
};

let last = Promise.resolve();
const receive = (message: ToSandbox): void => {
  last = last.then(() => answer(message));
};

if (port) port.on('message', ({ data }) => receive(data as ToSandbox));
else {
  process.on('message', (message) => receive(message as ToSandbox));
  process.on('disconnect', () => process.exit(0));
}
void send({ type: 'ready' });
