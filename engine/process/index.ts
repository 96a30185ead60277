/**
 * Entry point of the engine process: runs and calls come in, events and replies go out. One process runs one
 * run at a time.
 */
import { calls } from './calls.ts';
import { theDevice } from './device.ts';
import { followed, isStopped } from '../pace/index.ts';
import { measuredRun } from '../rl/tools/measured-run.ts';
import { Outbox } from '../rl/run/outbox.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { CallName, CallProgress, FromEngine, StartRun, ToEngine } from '../schema/messages.ts';
import { isRelay } from '../schema/sandbox.ts';
import { watchStarter } from '../watchdog/index.ts';

/** Electron's `process.parentPort` of a utility process; absent in a forked Node process. */
interface ParentPort {
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

interface Wire {
  send(message: FromEngine): void;
  listen(receive: (message: ToEngine) => void): void;
}

const openWire = (): Wire => {
  const port = (process as { parentPort?: ParentPort }).parentPort;
  if (port)
    return {
      send: (m) => port.postMessage(m),
      listen: (receive) =>
        port.on('message', ({ data }) => {
          if (!isRelay(data)) receive(data as ToEngine);
        }),
    };
  if (!process.send)
    throw new WhetstoneError(
      'unsupported',
      'The engine process is started by the workbench; it does nothing on its own.',
    );
  const send = process.send.bind(process);
  // the parent process is gone
  process.on('disconnect', () => process.exit(0));
  return {
    send: (m) => {
      send(m);
    },
    listen: (receive) => process.on('message', (message) => receive(message as ToEngine)),
  };
};

// files written here, such as checkpoints, are private to their owner; exports elsewhere get their
// permissions from the caller
if (process.platform !== 'win32') process.umask(0o077);

watchStarter();
const wire = openWire();
/** Memory left behind by an earlier run would be counted as the next one's. */
let hasRun = false;
let current: { readonly outbox: Outbox; readonly stop: AbortController } | undefined;

/** Runs to its end; every failure becomes a `failed` event. */
const start = async (run: StartRun): Promise<void> => {
  const outbox = new Outbox(run, (event) => wire.send({ type: 'event', event }));
  if (current) {
    const error = new WhetstoneError(
      'conflict',
      `This engine process already runs '${current.outbox.run.runId}'.`,
    );
    await outbox.emit({ type: 'failed', error: error.facts });
    return;
  }
  const stop = new AbortController();
  current = { outbox, stop };
  try {
    const fresh = !hasRun;
    hasRun = true;
    const outcome = await followed({ stop: stop.signal }, async () =>
      measuredRun(run, outbox, stop.signal, await theDevice(run.spec.device), fresh),
    );
    await outbox.emit({ type: 'finished', outcome });
  } catch (error) {
    // before its first step a run has nothing to save
    if (stop.signal.aborted && isStopped(error)) await outbox.emit({ type: 'finished', outcome: 'stopped' });
    else await outbox.emit({ type: 'failed', error: WhetstoneError.from(error).facts });
  } finally {
    // an asynchronous failure of a run may arrive after the next one has begun
    if (current?.outbox === outbox) current = undefined;
  }
};

const pending = new Map<number, AbortController>();

const answer = async (id: number, name: CallName, input: unknown): Promise<void> => {
  const controller = new AbortController();
  pending.set(id, controller);
  try {
    if (!Object.hasOwn(calls, name))
      throw new WhetstoneError('not-found', `The engine has no call '${String(name)}'.`);
    const report = (progress: CallProgress): void => wire.send({ type: 'progress', id, progress });
    const output = await followed({ stop: controller.signal }, async () =>
      calls[name](input as never, controller.signal, report),
    );
    wire.send({ type: 'reply', id, output });
  } catch (error) {
    wire.send({ type: 'refused', id, error: WhetstoneError.from(error).facts });
  } finally {
    pending.delete(id);
  }
};

const receivers: { readonly [T in ToEngine['type']]: (message: Extract<ToEngine, { type: T }>) => void } = {
  start: ({ run }) => void start(run),
  stop: ({ runId }) => {
    if (current?.outbox.run.runId === runId) current.stop.abort();
  },
  acknowledge: ({ runId, attempt, sequence }) => {
    const run = current?.outbox.run;
    if (run?.runId === runId && run.attempt === attempt) current?.outbox.acknowledge(sequence);
  },
  call: ({ id, name, input }) => void answer(id, name, input),
  cancel: ({ id }) => pending.get(id)?.abort(),
};

/** An unhandled error belongs to the run in progress; without one the process must exit. */
const escaped = (error: unknown): void => {
  if (!current) throw error;
  const { outbox, stop } = current;
  stop.abort();
  current = undefined;
  void outbox.emit({ type: 'failed', error: WhetstoneError.from(error).facts });
};
process.on('unhandledRejection', escaped);

wire.listen((message) => (receivers[message.type] as (m: ToEngine) => void)(message));
wire.send({ type: 'ready', pid: process.pid });
