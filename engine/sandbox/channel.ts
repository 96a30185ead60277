/**
 * Starts the sandbox process: forked by Node without any permissions, or started by Electron's main on
 * request, since a utility process cannot start another.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isRelay,
  type FromSandbox,
  type SandboxChannel,
  type SandboxRelay,
  type SpawnSandbox,
} from '../schema/sandbox.ts';

/** Megabytes of the process's own heap; tasks allocate WebAssembly memory, under limits of its own. */
const HEAP_MB = 128;
/**
 * Processor time after which the system ends the process; it exits by itself long before, unless its parent
 * is gone.
 */
const CPU_SECONDS = 60;
const WORDS_CHARS = 1000;

/** The source in a checkout, or a bundle next to the engine's. */
const isSource = import.meta.url.endsWith('.ts');
const entry = fileURLToPath(
  new URL(isSource ? './process/index.ts' : './sandbox-process.js', import.meta.url),
);

/** Files the process must read to load itself, and no others. */
const readable = (): string[] => {
  if (!isSource) return [dirname(entry)];
  const packages = [
    'sql.js',
    '@jitl/quickjs-ng-wasmfile-release-sync',
    '@jitl/quickjs-ffi-types',
    'quickjs-emscripten-core',
  ];
  const require = createRequire(import.meta.url);
  const room = dirname(dirname(entry));
  return [
    room,
    join(room, '../schema/sandbox.ts'),
    join(room, '../watchdog/index.ts'),
    join(room, '../../package.json'),
    ...(require.resolve.paths('sql.js') ?? []).filter(existsSync).flatMap((folder) => {
      const real = realpathSync(folder);
      // a package folder may be a link, whose target is read
      return [
        ...(real === folder ? [] : [folder]),
        ...packages.flatMap((name) => [join(folder, name), join(real, name)]),
      ];
    }),
  ];
};

/**
 * An empty folder shared by every sandbox of this user. It is never removed: a process that starts one may
 * be killed, and no sandbox can write.
 */
const emptyCwd = (): string => {
  const folder = join(tmpdir(), `whetstone-sandbox-${process.getuid?.() ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

/** A Node process without environment, files, network, addons or child processes (`--permission`). */
export const forkSandbox: SpawnSandbox = () => {
  const args = [
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${HEAP_MB}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    entry,
  ];
  const [command, given] =
    process.platform === 'win32'
      ? [process.execPath, args]
      : [
          '/bin/sh',
          ['-c', `ulimit -t ${CPU_SECONDS} 2>/dev/null; exec "$0" "$@"`, process.execPath, ...args],
        ];
  const child = spawn(command, given, {
    // Windows cannot start a process without SystemRoot
    env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
    cwd: emptyCwd(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // a pending request keeps the event loop alive; an idle sandbox ends with its parent
  child.unref();
  child.channel?.unref();
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-WORDS_CHARS);
  });
  (child.stderr as { unref?: () => void } | null)?.unref?.();
  return {
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    onMessage: (receive) => {
      child.on('message', (message) => receive(message as FromSandbox));
    },
    onExit: (gone) => {
      child.once('error', (error) => gone(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) =>
        gone(
          [signal ? `was ended by ${signal}` : `ended with code ${code}`, words.trim()]
            .filter(Boolean)
            .join(': '),
        ),
      );
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
};

/** Electron's `process.parentPort`. */
interface ParentPort {
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Sandboxes started by the process at the other end of `port`, which forwards their messages. */
export const relayedSandbox = (port: ParentPort): SpawnSandbox => {
  let next = 0;
  const open = new Map<
    number,
    { receive?: (message: FromSandbox) => void; gone?: (reason: string) => void }
  >();
  port.on('message', ({ data }) => {
    if (!isRelay(data)) return;
    const sandbox = open.get(data.sandbox);
    if (data.do === 'receive') sandbox?.receive?.(data.message);
    if (data.do === 'exit') {
      open.delete(data.sandbox);
      sandbox?.gone?.(data.reason);
    }
  });
  return (): SandboxChannel => {
    const id = ++next;
    const own: { receive?: (message: FromSandbox) => void; gone?: (reason: string) => void } = {};
    open.set(id, own);
    const relay = (message: SandboxRelay): void => port.postMessage(message);
    relay({ sandbox: id, do: 'start' });
    return {
      send: (message) => relay({ sandbox: id, do: 'send', message }),
      onMessage: (receive) => {
        own.receive = receive;
      },
      onExit: (gone) => {
        own.gone = gone;
      },
      kill: () => relay({ sandbox: id, do: 'kill' }),
    };
  };
};

/** The way to start a sandbox from this process. */
export const spawnSandbox = (): SpawnSandbox => {
  const port = (process as { parentPort?: ParentPort }).parentPort;
  return port ? relayedSandbox(port) : forkSandbox;
};
