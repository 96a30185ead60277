import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Config } from '../../main/services/config.ts';
import { serveLoopback, type Loopback } from '../../main/headless/server.ts';
import { handlersOf } from '../../main/ipc/index.ts';
import { plainServices } from '../../main/headless/open.ts';
import type { Services } from '../../main/services/services.ts';
import { socketPath, socketProtocol } from '../../preload/wire/wire.ts';

let folder: string;
let loopback: Loopback;
let services: Services;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whetstone-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Whetstone</title>');
  services = plainServices({ config: new Config(join(folder, 'config')) });
  loopback = await serveLoopback({ handlers: handlersOf(services), pageFolder: folder });
});
afterAll(async () => {
  await loopback.close();
  await services.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends these bytes and returns the status of the response; 0 if the connection is closed without one. */
const statusOf = (port: number, text: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (more: string) => {
      answer += more;
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(Number(answer.slice(9, 12))));
    // the server may close the connection while we are writing
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
  });

const get = (target: string, ...headers: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');
const local = 'Host: localhost:7000';

describe('a raw HTTP request', () => {
  it.each<readonly [what: string, request: string, status: number]>([
    ['the page', get('/', local), 200],
    ['upper case', get('/', 'HOST: LOCALHOST:7000'), 200],
    ['the IPv6 loopback', get('/', 'Host: [::1]:7000'), 200],
    ['its own origin', get('/', local, 'Origin: http://localhost:7000'), 200],
    ['HEAD', get('/', local).replace('GET', 'HEAD'), 200],
    ['no host', get('/'), 400],
    ['no host, HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 400],
    ['an empty host', get('/', 'Host:'), 403],
    ['two hosts', get('/', local, 'Host: evil.example'), 400],
    ['two hosts, the other order', get('/', 'Host: evil.example', local), 400],
    ['the same host twice', get('/', local, 'hOST: localhost:7000'), 400],
    ['two hosts in one', get('/', 'Host: localhost, evil.example'), 403],
    ['another host', get('/', 'Host: evil.example'), 403],
    ['a host with the local name as a prefix', get('/', 'Host: localhost.evil.example'), 403],
    ['a trailing dot', get('/', 'Host: localhost.'), 403],
    ['a trailing dot and a port', get('/', 'Host: localhost.:7000'), 403],
    ['a user before the host', get('/', 'Host: evil.example@localhost'), 403],
    ['IPv6 without brackets', get('/', 'Host: ::1'), 403],
    ['an unclosed bracket', get('/', 'Host: [::1'), 403],
    ['another spelling of IPv6', get('/', 'Host: [0:0:0:0:0:0:0:1]'), 403],
    ['another spelling of IPv4', get('/', 'Host: 127.1'), 403],
    ['an invalid port', get('/', 'Host: localhost:99999'), 400],
    ['a port of letters', get('/', 'Host: localhost:http'), 403],
    ['an empty port', get('/', 'Host: localhost:'), 403],
    ['another origin', get('/', local, 'Origin: http://evil.example'), 403],
    ['two origins', get('/', local, 'Origin: http://localhost:7000', 'Origin: http://evil.example'), 400],
    ['an absolute address', get('http://localhost:7000/', local), 400],
    ['an absolute address of another host', get('http://evil.example/', local), 400],
    ['an absolute address and another host', get('http://localhost:7000/', 'Host: evil.example'), 403],
    ['an asterisk', get('*', local).replace('GET', 'OPTIONS'), 400],
    ['an overlong path', get(`/${'a'.repeat(9000)}`, local), 414],
    ['an overlong query', get(`/?${'a'.repeat(9000)}`, local), 414],
    ['an impossible file name', get(`/${'a'.repeat(1000)}.js`, local), 404],
    ['overlong headers', get('/', local, `X: ${'a'.repeat(40_000)}`), 431],
    ['a path that exceeds the header limit', get(`/${'a'.repeat(40_000)}`, local), 431],
    ['a null', get('/index.html%00.js', local), 404],
    ['an incomplete escape', get('/%4', local), 404],
    ['escapes of invalid UTF-8', get('/%ff%fe', local), 404],
    ['a path traversal', get('/..%2f..%2fetc/passwd', local), 404],
    ['POST', get('/', local).replace('GET', 'POST'), 405],
    ['DELETE', get('/', local).replace('GET', 'DELETE'), 405],
    ['TRACE', get('/', local).replace('GET', 'TRACE'), 405],
    ['an unknown method', get('/', local).replace('GET', 'FETCH'), 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
  ])('%s', async (_what, request, status) => {
    const { port } = loopback;
    const errors = vi.spyOn(console, 'error');
    onTestFinished(() => errors.mockRestore());
    expect(await statusOf(port, request)).toBe(status);
    expect(await statusOf(port, get('/', local))).toBe(200);
    // invalid requests are not logged as errors
    expect(errors).not.toHaveBeenCalled();
  });

  it.each<readonly [what: string, headers: readonly string[], status: number]>([
    ['its own host and origin', [local, 'Origin: http://localhost:7000'], 101],
    ['two hosts', [local, 'Host: evil.example', 'Origin: http://localhost:7000'], 403],
    ['no host', ['Origin: http://localhost:7000'], 403],
    ['two origins', [local, 'Origin: http://localhost:7000', 'Origin: http://evil.example'], 403],
    ['no origin', [local], 403],
  ])('upgrade to WebSocket, with the token and %s', async (_what, headers, status) => {
    const { port, token } = loopback;
    const upgrade = [
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
      `Sec-WebSocket-Protocol: ${socketProtocol}, token.${token}`,
    ];
    const request = get(socketPath, ...headers, ...upgrade).replace(
      'Connection: close',
      'Connection: Upgrade',
    );
    expect(await statusOf(port, request)).toBe(status);
  });
});
