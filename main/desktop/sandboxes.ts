import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromSandbox, SandboxRelay } from '../../engine/schema/sandbox.ts';

/** The used part of a utility process. */
export interface UtilityChild {
  readonly pid: number | undefined;
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
  kill(): unknown;
}

/**
 * The sandboxes of one engine process: starts each in an empty folder on the engine's request, forwards
 * messages both ways, and ends all of them with the engine.
 */
export const relayedSandboxes = (
  spawn: (cwd: string) => UtilityChild,
  send: (message: SandboxRelay) => void,
): { receive(message: SandboxRelay): void; close(): void } => {
  const live = new Map<number, UtilityChild>();
  const end = (child: UtilityChild | undefined): void => {
    if (!child) return;
    // one inside an endless query does not respond to kill()
    if (child.pid === undefined) child.kill();
    else process.kill(child.pid, 'SIGKILL');
  };
  const start = (id: number): void => {
    const cwd = mkdtempSync(join(tmpdir(), 'whetstone-sandbox-'));
    const child = spawn(cwd);
    live.set(id, child);
    child.on('message', (message) => send({ sandbox: id, do: 'receive', message: message as FromSandbox }));
    child.once('exit', (code) => {
      live.delete(id);
      rmSync(cwd, { recursive: true, force: true });
      send({ sandbox: id, do: 'exit', reason: `ended with code ${code}` });
    });
  };
  return {
    receive: (message) => {
      if (message.do === 'start') start(message.sandbox);
      if (message.do === 'kill') end(live.get(message.sandbox));
      if (message.do === 'send') live.get(message.sandbox)?.postMessage(message.message);
    },
    close: () => {
      for (const child of live.values()) end(child);
    },
  };
};
