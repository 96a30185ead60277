import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Encoder } from 'cbor-x';
import { WebSocketServer, type WebSocket } from 'ws';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { codecOptions, socketPath, socketProtocol, tokenHash } from '../../preload/wire/wire.ts';
import { connection, type AllHandlers } from '../ipc/serve.ts';
import { isSameOrigin, refusalOf } from './loopback-request.ts';
import { pageFile, pageHeaders } from './page.ts';

export interface Loopback {
  /** Includes the token in the hash, which browsers never send: for the user who started this. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

/** Largest message: an uploaded dataset file. */
const maxPayload = 512 * 1024 * 1024;

/**
 * The services behind HTTP and WebSocket on 127.0.0.1 alone. The page's files are open to any local request
 * with a loopback Host; the socket also requires the page's own Origin and the 256-bit token. Anything else
 * gets 403. Port 0: the system chooses. Throws `conflict` if the port is taken.
 */
export async function serveLoopback({
  handlers,
  pageFolder,
  port = 0,
}: {
  handlers: AllHandlers;
  pageFolder: string;
  port?: number;
}): Promise<Loopback> {
  const token = randomBytes(32).toString('hex');
  const sockets = new WebSocketServer({ noServer: true, maxPayload, handleProtocols: () => socketProtocol });
  const server = createServer((request, response) => void servePage(pageFolder, request, response));
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    if (!mayConnect(request, token)) return refuse(stream);
    sockets.handleUpgrade(request, stream, head, (socket) => carry(socket, handlers));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new WhetstoneError('conflict', `Port ${port} is taken.`, {
              where: `127.0.0.1:${port}`,
              hint: 'Choose another with --port, or leave it out.',
              cause: error,
            })
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}/${tokenHash}${token}`,
    port: own,
    token,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function servePage(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const respond = (status: number, text: string, more: Record<string, string> = {}): void =>
    void response
      .writeHead(status, { ...pageHeaders(), ...more, 'content-type': 'text/plain; charset=utf-8' })
      .end(text);
  const refusal = refusalOf(request);
  if (refusal) return respond(refusal.status, refusal.text);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return respond(405, 'Only GET.', { allow: 'GET, HEAD' });
  const { host } = request.headers;
  try {
    const file = await pageFile(folder, new URL(`http://${host}${request.url}`).pathname);
    if (!file) return respond(404, 'There is no such page.');
    response.writeHead(200, {
      ...pageHeaders(`ws://${host}`),
      'content-type': file.type,
      'cache-control': 'no-cache',
    });
    response.end(request.method === 'HEAD' ? undefined : file.bytes);
  } catch (error) {
    console.error('The page could not be served:', error);
    respond(500, 'The page could not be read.');
  }
}

function mayConnect(request: IncomingMessage, token: string): boolean {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((p) => p.trim());
  const given = Buffer.from(offered.find((p) => p.startsWith('token.'))?.slice('token.'.length) ?? '');
  const expected = Buffer.from(token);
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  return (
    request.url === socketPath &&
    refusalOf(request) === null &&
    isSameOrigin(request) &&
    offered.includes(socketProtocol) &&
    isRight
  );
}

const refuse = (stream: Duplex): void =>
  void stream.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');

/**
 * Connects one page: each frame is one binary message. A message that is not a frame closes the connection.
 */
function carry(socket: WebSocket, handlers: AllHandlers): void {
  const codec = new Encoder(codecOptions);
  const line = connection(handlers, (frame) => {
    if (socket.readyState === socket.OPEN) socket.send(codec.encode(frame));
  });
  socket.on('message', (data: Buffer, isBinary) => {
    let frame: unknown;
    try {
      if (!isBinary) throw new TypeError('text');
      frame = codec.decode(data);
    } catch {
      return socket.close(1003, 'frames are CBOR');
    }
    line.receive(frame);
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => line.close());
}
