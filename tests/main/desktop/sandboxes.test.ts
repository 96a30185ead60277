import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { relayedSandbox } from '../../../engine/sandbox/channel.ts';
import { Sandbox } from '../../../engine/sandbox/index.ts';
import type { SandboxRelay } from '../../../engine/schema/sandbox.ts';
import { relayedSandboxes, type UtilityChild } from '../../../main/desktop/sandboxes.ts';

const entry = fileURLToPath(new URL('../../../engine/sandbox/process/index.ts', import.meta.url));

/**
 * The channel between an engine and main, with forked Node processes instead of Electron's utility processes.
 */
const wire = () => {
  const folders: string[] = [];
  const spawn = (cwd: string): UtilityChild => {
    folders.push(cwd);
    const child = fork(entry, [], {
      cwd,
      env: {},
      execArgv: ['--no-warnings'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return {
      get pid() {
        return child.pid;
      },
      postMessage: (message) => {
        child.send(message as object, () => undefined);
      },
      on: (_event, listener) => child.on('message', listener),
      once: (_event, listener) => child.once('exit', (code) => listener(code ?? -1)),
      kill: () => child.kill('SIGKILL'),
    };
  };
  let hear: (message: { readonly data: unknown }) => void = () => undefined;
  const main = relayedSandboxes(spawn, (message) => hear({ data: message }));
  return {
    folders,
    main,
    port: {
      on: (_event: 'message', listener: typeof hear) => {
        hear = listener;
      },
      postMessage: (message: unknown) => main.receive(message as SandboxRelay),
    },
  };
};

it('runs code and queries in processes that main starts on behalf of the engine', async () => {
  const { folders, main, port } = wire();
  const sandbox = new Sandbox(relayedSandbox(port));
  expect(
    await sandbox.runJs(
      [
        { code: '(n) => n + 1', args: [1] },
        { code: '() => { for (;;) {} }', args: [] },
      ],
      { timeMs: 500 },
    ),
  ).toMatchObject([
    { ok: true, value: 2 },
    { ok: false, error: { kind: 'timeout' } },
  ]);
  const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
  expect(
    await sandbox.runSql(
      [
        { setup: '', query: endless },
        { setup: '', query: 'SELECT 4' },
      ],
      { timeMs: 500 },
    ),
  ).toMatchObject([
    { ok: false, error: { kind: 'timeout' } },
    { ok: true, value: { rows: [[4]] } },
  ]);
  expect(sandbox.started).toBe(2);
  main.close();
  await expect.poll(() => folders.some((folder) => existsSync(folder))).toBe(false);
});
