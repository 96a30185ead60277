/**
 * How a sandbox's process is started: forked by Node with nothing in its hands, or asked of Electron's main,
 * since a utility process starts no other.
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

/**
 * Megabytes of the process's own heap; what tasks allocate lies in WebAssembly memory, under limits of its
 * own.
 */
const HEAP_MB = 128;
/**
 * Processor time after which the system ends it; it leaves by itself long before, unless nobody is there to
 * be told.
 */
const CPU_SECONDS = 60;
const WORDS_CHARS = 1000;

/** The source in a checkout, a bundle beside the engine's where it is one. */
const isSource = import.meta.url.endsWith('.ts');
const entry = fileURLToPath(
  new URL(isSource ? './process/index.ts' : './sandbox-process.js', import.meta.url),
);

/** What the process reads to load itself: its own files, and nothing else. */
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
      // a folder of packages may be a link, which is read itself
      return [
        ...(real === folder ? [] : [folder]),
        ...packages.flatMap((name) => [join(folder, name), join(real, name)]),
      ];
    }),
  ];
};

/**
 * An empty folder for every sandbox of this user. It stays: whoever starts one may be ended without a word,
 * and no sandbox can write.
 */
const emptyCwd = (): string => {
  const folder = join(tmpdir(), `whetstone-sandbox-${process.getuid?.() ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

/**
 * A process of this Node without environment, files, network names, addons or children of its own
 * (`--permission`).
 */
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
    // Windows starts nothing without its own folder
    env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
    cwd: emptyCwd(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // whoever waits for an answer holds the event loop; an idle sandbox ends with its parent
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

/** Sandboxes that the process at the other end of `port` starts and passes messages of. */
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
    const tell = (message: SandboxRelay): void => port.postMessage(message);
    tell({ sandbox: id, do: 'start' });
    return {
      send: (message) => tell({ sandbox: id, do: 'send', message }),
      onMessage: (receive) => {
        own.receive = receive;
      },
      onExit: (gone) => {
        own.gone = gone;
      },
      kill: () => tell({ sandbox: id, do: 'kill' }),
    };
  };
};

/** The way that fits where this process runs. */
export const spawnSandbox = (): SpawnSandbox => {
  const port = (process as { parentPort?: ParentPort }).parentPort;
  return port ? relayedSandbox(port) : forkSandbox;
};
