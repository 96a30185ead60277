import { expect, it, onTestFinished, vi } from 'vitest';
import { socketTransport, type ConnectionState } from '../../renderer/lib/transport.ts';

/** A WebSocket that the test opens and breaks. */
class Socket {
  static all: Socket[] = [];
  onopen: () => void = () => undefined;
  onclose: () => void = () => undefined;
  constructor() {
    Socket.all.push(this);
  }
  close(): void {
    this.onclose();
  }
}

/** Starts a transport over such sockets, in fake time; returns its states. */
function started(): ConnectionState[] {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  vi.stubGlobal('fetch', async () => new Response());
  Socket.all = [];
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const states: ConnectionState[] = [];
  onTestFinished(
    socketTransport('old').start({ frame: () => undefined, state: (state) => states.push(state) }),
  );
  return states;
}

it('reports that restarted services reject the old token, instead of reconnecting forever', async () => {
  const states = started();
  Socket.all[0].onopen();
  Socket.all[0].onclose();
  await vi.advanceTimersByTimeAsync(1000);
  Socket.all[1].onclose();
  await vi.advanceTimersByTimeAsync(0);
  expect(states).toEqual(['connecting', 'open', 'lost', 'refused']);
});

it('gives up a connection that does not open, and tries again', async () => {
  const states = started();
  await vi.advanceTimersByTimeAsync(9000);
  expect(Socket.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(Socket.all).toHaveLength(2);
  Socket.all[1].onopen();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Socket.all).toHaveLength(2);
  expect(states).toEqual(['connecting', 'lost', 'open']);
});
