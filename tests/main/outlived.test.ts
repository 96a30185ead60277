import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FromEngine } from '../../engine/schema/messages.ts';
import { watchOption } from '../../engine/watchdog/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { longPhases } from '../support/phases.ts';

const inSupport = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Running processes of a group; zombies count as ended. */
const membersOf = (group: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(pgrp) === group && state !== 'Z' ? [Number(pid)] : [];
      } catch {
        return []; // it has ended in the meantime
      }
    });

/** The first line of a child's output that starts with `word`, without that word. */
const lineOf = (child: ChildProcess, word: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const line = text
        .split('\n')
        .slice(0, -1)
        .find((each) => each.startsWith(`${word} `));
      if (line !== undefined) resolve(line.slice(word.length + 1));
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });

describe.skipIf(process.platform === 'win32')('an engine whose main is killed', () => {
  for (const [number, { phase, what }] of longPhases.entries()) {
    it(`ends by itself while ${phase} (${what})`, async () => {
      const main = fork(inSupport('phase-child.ts'), [String(number), temporaryFolder()], {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      onTestFinished(() => void main.kill('SIGKILL'));
      const pid = Number(await lineOf(main, 'inside'));
      expect(lives(pid)).toBe(true);
      main.kill('SIGKILL');
      await expect
        .poll(() => (process.platform === 'linux' ? membersOf(pid).length : Number(lives(pid))))
        .toBe(0);
    });
  }
});

describe.skipIf(process.platform === 'win32')('the watchdog', () => {
  it(
    'ends a process whose blocked event loop does not notice the closed channel, and the processes that it ' +
      'has started',
    async () => {
      const main = fork(inSupport('deaf-main.ts'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
      onTestFinished(() => void main.kill('SIGKILL'));
      const pids = JSON.parse(await lineOf(main, 'blocked')) as { engine: number; child: number };
      expect([lives(pids.engine), lives(pids.child)]).toEqual([true, true]);
      main.kill('SIGKILL');
      await expect
        .poll(() =>
          process.platform === 'linux' ? membersOf(pids.engine).length : Number(lives(pids.engine)),
        )
        .toBe(0);
    },
  );
});

describe('a process whose parent is not watched', () => {
  it('continues', async () => {
    const entry = fileURLToPath(new URL('../../engine/process/index.ts', import.meta.url));
    const engine = fork(entry, [watchOption({ pid: process.pid, isParent: true, leads: false })], {
      serialization: 'advanced',
    });
    onTestFinished(() => void engine.kill('SIGKILL'));
    const pong = Promise.withResolvers<FromEngine>();
    engine.on('message', (message: FromEngine) => {
      if (message.type === 'reply') pong.resolve(message);
    });
    // longer than several intervals of the watchdog
    await new Promise((resolve) => setTimeout(resolve, 1500));
    engine.send({ type: 'call', id: 1, name: 'devices', input: {} });
    expect(await pong.promise).toMatchObject({ type: 'reply', id: 1 });
  });
});
