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

it('reports that restarted services reject the old token, instead of reconnecting forever', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  vi.stubGlobal('fetch', async () => new Response());
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const states: ConnectionState[] = [];
  onTestFinished(
    socketTransport('old').start({ frame: () => undefined, state: (state) => states.push(state) }),
  );
  Socket.all[0].onopen();
  Socket.all[0].onclose();
  await vi.advanceTimersByTimeAsync(1000);
  Socket.all[1].onclose();
  await vi.advanceTimersByTimeAsync(0);
  expect(states).toEqual(['connecting', 'open', 'lost', 'refused']);
});
