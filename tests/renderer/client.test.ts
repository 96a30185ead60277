import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';
import { Connection } from '../../renderer/lib/client.ts';
import type { ConnectionState, Transport } from '../../renderer/lib/transport.ts';

/** An in-memory transport: records the frames that the page sends, and lets the test answer. */
function line() {
  const sent: ToServices[] = [];
  let events: Parameters<Transport['start']>[0] | undefined;
  const transport: Transport = {
    send: (frame) => {
      sent.push(frame);
    },
    start: (given) => {
      events = given;
      return () => undefined;
    },
  };
  const connection = new Connection(transport);
  connection.start();
  const state = (next: ConnectionState) => events?.state(next);
  state('open');
  return {
    connection,
    client: connection.client,
    sent,
    answer: (frame: ToPage) => events?.frame(frame),
    state,
  };
}

describe('the client over frames', () => {
  it('addresses a call by domain and endpoint, and resolves it with its own reply', async () => {
    const { client, sent, answer } = line();
    const [a, b] = [client.datasets.list({}), client.runs.get({ id: 'x' })];
    expect(sent).toEqual([
      { type: 'call', id: 1, path: 'datasets.list', input: {} },
      { type: 'call', id: 2, path: 'runs.get', input: { id: 'x' } },
    ]);
    answer({ type: 'reply', id: 2, output: 'second' });
    answer({ type: 'reply', id: 1, output: 'first' });
    expect(await Promise.all([a, b])).toEqual(['first', 'second']);
  });

  it('rejects with the error of the services, including message and hint', async () => {
    const { client, answer } = line();
    const call = client.runs.get({ id: 'x' });
    answer({
      type: 'refused',
      id: 1,
      error: { kind: 'not-found', message: 'There is no such run.', where: 'id', hint: 'Look.' },
    });
    await expect(call).rejects.toMatchObject({
      kind: 'not-found',
      message: 'There is no such run.',
      where: 'id',
      hint: 'Look.',
    });
  });

  it('grants one credit for each value once it can be drawn, and closes a feed once', () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { client, sent, answer } = line();
    const values: unknown[] = [];
    const close = client.runs.watch({}, (value) => values.push(value));
    answer({ type: 'value', id: 1, value: ['a'] });
    expect(values).toEqual([['a']]);
    expect(sent.filter(({ type }) => type === 'credit')).toEqual([]);
    vi.runAllTimers();
    expect(sent.at(-1)).toEqual({ type: 'credit', id: 1, credits: 1 });
    close();
    close();
    expect(sent.filter(({ type }) => type === 'close')).toEqual([{ type: 'close', id: 1 }]);
    answer({ type: 'value', id: 1, value: ['late'] });
    expect(values).toHaveLength(1);
  });

  it('rejects calls and ends feeds when the connection is lost, and rejects new calls until it is back', async () => {
    const { client, state } = line();
    const ends: unknown[] = [];
    client.runs.watch(
      {},
      () => undefined,
      (error) => ends.push(error),
    );
    const call = client.datasets.list({});
    state('lost');
    await expect(call).rejects.toMatchObject({ kind: 'cancelled' });
    expect(ends).toMatchObject([{ kind: 'cancelled' }]);
    await expect(client.datasets.list({})).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('reopens a followed feed after a reconnection, until it is stopped', () => {
    const { connection, client, sent, state } = line();
    const stop = connection.follow((end) => client.runs.watch({}, () => undefined, end));
    state('lost');
    state('open');
    expect(sent.filter(({ type }) => type === 'open')).toHaveLength(2);
    stop();
    state('lost');
    state('open');
    expect(sent.filter(({ type }) => type === 'open')).toHaveLength(2);
  });

  it('does not reopen a feed that the services ended', () => {
    const { connection, client, sent, answer, state } = line();
    const errors: unknown[] = [];
    connection.follow(
      (end) => client.runs.watch({}, () => undefined, end),
      (error) => errors.push(error),
    );
    answer({ type: 'end', id: 1, error: { kind: 'internal', message: 'broken' } });
    state('lost');
    state('open');
    expect(sent.filter(({ type }) => type === 'open')).toHaveLength(1);
    expect(errors).toMatchObject([{ kind: 'internal', message: 'broken' }]);
  });
});
