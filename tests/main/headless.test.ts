import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { once } from 'node:events';
import { Encoder } from 'cbor-x';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import {
  codecOptions,
  socketPath,
  socketProtocol,
  type ToPage,
  type ToServices,
} from '../../preload/wire/wire.ts';
import { serveLoopback, type Loopback } from '../../main/headless/server.ts';
import { handlersOf } from '../../main/ipc/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

async function serveForTest() {
  const bench = await servicesForTest();
  const pageFolder = join(temporaryFolder(), 'page');
  mkdirSync(pageFolder);
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>Whetstone</title>');
  const loopback = await serveLoopback({ handlers: handlersOf(bench.services), pageFolder });
  onTestFinished(() => loopback.close());
  return { bench, loopback };
}

/** Sends one request with these headers; returns its status, headers and body. */
function ask(
  { port }: Loopback,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers, method: 'GET' }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => {
          body += text;
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '' });
    });
    outgoing.on('error', reject).end();
  });
}

const upgrade = (token: string, host: string, origin: string): Record<string, string> => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
  'sec-websocket-protocol': `${socketProtocol}, token.${token}`,
  host,
  ...(origin && { origin }),
});

describe('the loopback transport', () => {
  it('serves the page with a strict policy, to loopback names only', async () => {
    const { loopback } = await serveForTest();
    const page = await ask(loopback, '/', { host: `127.0.0.1:${loopback.port}` });
    expect([page.status, page.body]).toEqual([200, '<!doctype html><title>Whetstone</title>']);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe-eval');
    expect((await ask(loopback, '/', { host: 'localhost:9999' })).status).toBe(200);
    expect((await ask(loopback, '/', { host: 'evil.example' })).status).toBe(403);
    expect(
      (await ask(loopback, '/', { host: `127.0.0.1:${loopback.port}`, origin: 'http://evil.example' }))
        .status,
    ).toBe(403);
    expect((await ask(loopback, '/absent.js', { host: 'localhost' })).status).toBe(404);
  });

  it('returns the right status for unusual addresses', async () => {
    const { loopback } = await serveForTest();
    const status = async (path: string, host = `127.0.0.1:${loopback.port}`) =>
      (await ask(loopback, path, { host })).status;
    for (const path of ['//', '///', '//evil.example/index.html', '//[', '/%', '/%2e%2e/%2e%2e/etc/passwd'])
      expect([path, await status(path)]).toEqual([path, 404]);
    for (const path of ['http://[/', 'http://localhost/', '*'])
      expect([path, await status(path)]).toEqual([path, 400]);
    expect(await status('/', 'localhost:99999')).toBe(400);
    expect(await status('/?x=//')).toBe(200);
  });

  it('opens its socket only for the right token, a loopback Host and the same Origin', async () => {
    const { loopback } = await serveForTest();
    const { token, port } = loopback;
    const host = `127.0.0.1:${port}`;
    const status = async (given: string, h: string, o: string, path = socketPath): Promise<number> =>
      (await ask(loopback, path, upgrade(given, h, o))).status;
    expect(await status(token, host, `http://${host}`)).toBe(101);
    expect(await status(token, `localhost:${port + 1}`, `http://localhost:${port + 1}`)).toBe(101);
    expect(await status('0'.repeat(64), host, `http://${host}`)).toBe(403);
    expect(await status('', host, `http://${host}`)).toBe(403);
    expect(await status(token, host, 'http://evil.example')).toBe(403);
    expect(await status(token, host, `http://localhost:${port}`)).toBe(403);
    expect(await status(token, host, '')).toBe(403);
    expect(await status(token, 'evil.example', 'http://evil.example')).toBe(403);
    expect(await status(token, host, `http://${host}`, '/other')).toBe(403);
    expect(loopback.url).toBe(`http://127.0.0.1:${port}/#token=${token}`);
  });

  it('carries calls and feeds, including typed arrays, and closes a connection that does not send CBOR', async () => {
    const { bench, loopback } = await serveForTest();
    const { runId } = await bench.api.runs.launch({ spec: smallSpec() });
    await bench.waitForRun(runId);
    const socket = new WebSocket(
      `ws://127.0.0.1:${loopback.port}${socketPath}`,
      [socketProtocol, `token.${loopback.token}`],
      { origin: `http://127.0.0.1:${loopback.port}` },
    );
    await once(socket, 'open');
    const codec = new Encoder(codecOptions);
    const say = async (frame: ToServices): Promise<ToPage> => {
      socket.send(codec.encode(frame));
      const [data] = (await once(socket, 'message')) as [Buffer];
      return codec.decode(data) as ToPage;
    };
    const reply = await say({
      type: 'call',
      id: 1,
      path: 'runs.metrics',
      input: { runIds: [runId], names: ['loss'] },
    });
    expect(reply).toMatchObject({ type: 'reply', id: 1 });
    expect((reply as { output: { values: unknown }[] }).output[0].values).toEqual(
      Float64Array.from({ length: 20 }, (_none, i) => 1 / (i + 1)),
    );
    expect(await say({ type: 'open', id: 2, path: 'runs.live', input: { runId }, credits: 1 })).toMatchObject(
      { type: 'value', id: 2, value: { run: { state: 'done' } } },
    );
    socket.send('text');
    expect((await once(socket, 'close'))[0]).toBe(1003);
  });
});
