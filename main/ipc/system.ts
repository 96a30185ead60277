import type { SelfTestProgress } from '../../engine/schema/self-test.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { EngineStatus, system } from '../../preload/contract/system.ts';
import type { Services } from '../services/services.ts';
import { selfTest } from '../use-cases/self-test.ts';
import { follow } from './stream.ts';

const newest = (_older: EngineStatus, newer: EngineStatus): EngineStatus => newer;

const joined = (older: SelfTestProgress, newer: SelfTestProgress): SelfTestProgress => ({
  ...newer,
  rows: [...older.rows, ...newer.rows],
});

export const systemHandlers = ({ desktop, config, engine, devices }: Services): Handlers<typeof system> => ({
  info: () => ({
    version: desktop.version,
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    electron: desktop.electron,
    transport: desktop.transport,
  }),
  devices: () => devices.list(),
  checkDevice: ({ id }) => devices.check(id),
  installProvider: ({ id, source }, signal) =>
    follow(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const work = new AbortController();
        push({ phase: 'fetching', done: 0, total: 0 });
        const report = (phase: 'fetching' | 'checking', done: number, total: number): void =>
          push(
            phase === 'checking' && done === total
              ? { phase: 'trying', done, total }
              : { phase, done, total },
          );
        devices.install(id, source, { report, signal: work.signal }).then(() => end(), end);
        return () => work.abort();
      },
    ),
  selfTest: ({ device }, signal) =>
    follow(signal, joined, (push, end) => {
      const work = new AbortController();
      selfTest({ devices, engine }, device, { signal: work.signal, report: push }).then(() => end(), end);
      return () => work.abort();
    }),
  engine: (_input, signal) =>
    follow(signal, newest, (push) => {
      push(engine.status);
      return engine.watch(push);
    }),
  settings: () => ({ ...config.settings }),
  setSetting({ key, value }) {
    config.set(key, value);
    return { ok: true };
  },
  choosePath: (choice) => desktop.choosePath(choice),
});
