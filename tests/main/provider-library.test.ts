import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deflateRawSync, crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installLibrary, libraryFor, type Library } from '../../main/provider-library.ts';
import { temporaryFolder } from '../support/folder.ts';

const contents = { 'one.so': Buffer.from('the first library '.repeat(5000)), 'two.so': Buffer.from([0, 1, 2, 254, 255]) };
const library: Library = Object.fromEntries(Object.entries(contents).map(([name, bytes]) => [name, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }]));

/** A ZIP archive with one packed and one plain file, as the format's description has it. */
const zip = (files: Readonly<Record<string, Buffer>>): Buffer => {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const method = bytes.length > 100 ? 8 : 0;
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    [20, 0, method].forEach((value, i) => common.writeUInt16LE(value, 2 * i));
    [crc32(bytes), packed.length, bytes.length].forEach((value, i) => common.writeUInt32LE(value, 10 + 4 * i));
    common.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)]);
    const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, Buffer.alloc(14), Buffer.from(name)]);
    entry.writeUInt32LE(at, 42);
    directory.push(entry);
    bodies.push(head, packed);
    at += head.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, listed, end]);
};

const wheel = (files: Readonly<Record<string, Buffer>> = contents): string => {
  const path = join(temporaryFolder(), 'library.whl');
  writeFileSync(path, zip(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`package/capi/${name}`, bytes]))));
  return path;
};

const install = async (source: string, folder = join(temporaryFolder(), 'runtime')) => {
  const told: string[] = [];
  const outcome = await installLibrary({ source, library, folder, report: (phase, done, total) => told.push(`${phase} ${done}/${total}`) }).then(() => null, (error: unknown) => error);
  return { folder, told, outcome, there: existsSync(folder) ? readdirSync(folder).sort() : [] };
};

describe('a provider library', () => {
  it('is taken from a wheel, each file checked, with progress', async () => {
    const { folder, told, outcome, there } = await install(wheel());
    expect([outcome, there]).toEqual([null, ['one.so', 'two.so']]);
    for (const [name, bytes] of Object.entries(contents)) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
    const total = contents['one.so'].length + contents['two.so'].length;
    expect(told.at(-1)).toBe(`checking ${total}/${total}`);
  });

  it('is taken from a folder, and from an address', async () => {
    const folder = temporaryFolder();
    for (const [name, bytes] of Object.entries(contents)) writeFileSync(join(folder, name), bytes);
    expect(await install(folder)).toMatchObject({ outcome: null, there: ['one.so', 'two.so'] });
    const bytes = readFileSync(wheel());
    const server = createServer((request, response) => { response.writeHead(request.url === '/library.whl' ? 200 : 404, { 'content-length': request.url === '/library.whl' ? bytes.length : 0 }).end(request.url === '/library.whl' ? bytes : ''); });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetched = await install(`${address}/library.whl`);
    expect(fetched).toMatchObject({ outcome: null, there: ['one.so', 'two.so'] });
    expect(fetched.told.some((line) => line === `fetching ${bytes.length}/${bytes.length}`)).toBe(true);
    expect(await install(`${address}/nothing.whl`)).toMatchObject({ outcome: { kind: 'not-found', message: expect.stringContaining('404') }, there: [] });
  });

  it('leaves nothing behind where a file is another one, is missing, or cannot be read', async () => {
    expect(await install(wheel({ ...contents, 'two.so': Buffer.from('something else') }))).toMatchObject({ outcome: { kind: 'untrusted', message: expect.stringContaining('two.so') }, there: [] });
    expect(await install(wheel({ 'one.so': contents['one.so'] }))).toMatchObject({ outcome: { kind: 'not-found', message: expect.stringContaining('two.so') }, there: [] });
    const cut = join(temporaryFolder(), 'cut.whl');
    writeFileSync(cut, readFileSync(wheel()).subarray(0, 200));
    expect(await install(cut)).toMatchObject({ outcome: { kind: 'invalid-input' }, there: [] });
    expect(await install(join(temporaryFolder(), 'nothing.whl'))).toMatchObject({ outcome: { kind: 'not-found' }, there: [] });
    const damaged = readFileSync(wheel());
    damaged.fill(0xff, 60, 120);
    writeFileSync(cut, damaged);
    expect(await install(cut)).toMatchObject({ outcome: { kind: expect.stringMatching(/invalid-input|untrusted/) }, there: [] });
  });

  it('is known for the runtime that this project is pinned to, and for no other', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../node_modules/onnxruntime-node/package.json', import.meta.url), 'utf8')) as { version: string };
    expect(Object.keys(libraryFor(version, 'cuda', 'linux-x64'))).toContain('libonnxruntime_providers_cuda.so');
    expect(() => libraryFor('0.1.0', 'cuda', 'linux-x64')).toThrow(/No provider library/);
  });
});
