import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deflateRawSync, crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installLibrary, libraryFor, type Library } from '../../main/services/provider-library.ts';
import { temporaryFolder } from '../support/folder.ts';

const contents = {
  'one.so': Buffer.from('the first library '.repeat(5000)),
  'two.so': Buffer.from([0, 1, 2, 254, 255]),
};
const library: Library = Object.fromEntries(
  Object.entries(contents).map(([name, bytes]) => [
    name,
    { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
  ]),
);

/** A ZIP archive with one compressed and one stored file, according to the specification of the format. */
const zip = (files: Readonly<Record<string, Buffer>>): Buffer => {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const method = bytes.length > 100 ? 8 : 0;
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    [20, 0, method].forEach((value, i) => common.writeUInt16LE(value, 2 * i));
    [crc32(bytes), packed.length, bytes.length].forEach((value, i) =>
      common.writeUInt32LE(value, 10 + 4 * i),
    );
    common.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)]);
    const entry = Buffer.concat([
      Buffer.from('PK\x01\x02\x14\x00', 'latin1'),
      common,
      Buffer.alloc(14),
      Buffer.from(name),
    ]);
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
  writeFileSync(
    path,
    zip(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`package/capi/${name}`, bytes]))),
  );
  return path;
};

const install = async (source: string, folder = join(temporaryFolder(), 'runtime')) => {
  const reports: string[] = [];
  const outcome = await installLibrary({
    source,
    library,
    folder,
    report: (phase, done, total) => reports.push(`${phase} ${done}/${total}`),
  }).then(
    () => null,
    (error: unknown) => error,
  );
  return { folder, reports, outcome, there: existsSync(folder) ? readdirSync(folder).sort() : [] };
};

describe('a provider library', () => {
  it('is installed from a wheel, with each file verified, and progress', async () => {
    const { folder, reports, outcome, there } = await install(wheel());
    expect([outcome, there]).toEqual([null, ['one.so', 'two.so']]);
    for (const [name, bytes] of Object.entries(contents))
      expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
    const total = contents['one.so'].length + contents['two.so'].length;
    expect(reports.at(-1)).toBe(`checking ${total}/${total}`);
  });

  it('is installed from a folder, and from an address', async () => {
    const folder = temporaryFolder();
    for (const [name, bytes] of Object.entries(contents)) writeFileSync(join(folder, name), bytes);
    expect(await install(folder)).toMatchObject({ outcome: null, there: ['one.so', 'two.so'] });
    const bytes = readFileSync(wheel());
    const server = createServer((request, response) => {
      response
        .writeHead(request.url === '/library.whl' ? 200 : 404, {
          'content-length': request.url === '/library.whl' ? bytes.length : 0,
        })
        .end(request.url === '/library.whl' ? bytes : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetched = await install(`${address}/library.whl`);
    expect(fetched).toMatchObject({ outcome: null, there: ['one.so', 'two.so'] });
    expect(fetched.reports.some((line) => line === `fetching ${bytes.length}/${bytes.length}`)).toBe(true);
    expect(await install(`${address}/nothing.whl`)).toMatchObject({
      outcome: { kind: 'not-found', message: expect.stringContaining('404') },
      there: [],
    });
  });

  it('leaves nothing behind if a file differs, is missing, or cannot be read', async () => {
    expect(await install(wheel({ ...contents, 'two.so': Buffer.from('something else') }))).toMatchObject({
      outcome: { kind: 'untrusted', message: expect.stringContaining('two.so') },
      there: [],
    });
    expect(await install(wheel({ 'one.so': contents['one.so'] }))).toMatchObject({
      outcome: { kind: 'not-found', message: expect.stringContaining('two.so') },
      there: [],
    });
    const cut = join(temporaryFolder(), 'cut.whl');
    writeFileSync(cut, readFileSync(wheel()).subarray(0, 200));
    expect(await install(cut)).toMatchObject({ outcome: { kind: 'invalid-input' }, there: [] });
    expect(await install(join(temporaryFolder(), 'nothing.whl'))).toMatchObject({
      outcome: { kind: 'not-found' },
      there: [],
    });
    const damaged = readFileSync(wheel());
    damaged.fill(0xff, 60, 120);
    writeFileSync(cut, damaged);
    expect(await install(cut)).toMatchObject({
      outcome: { kind: expect.stringMatching(/invalid-input|untrusted/) },
      there: [],
    });
  });

  it('is not read beyond its known size', async () => {
    // an archive whose directory states the right size, but whose entry never ends
    const bomb = readFileSync(wheel({ ...contents, 'one.so': Buffer.alloc(2 ** 24) }));
    const at = bomb.indexOf('PK\x01\x02', 0, 'latin1');
    bomb.writeUInt32LE(contents['one.so'].length, at + 24);
    const path = join(temporaryFolder(), 'bomb.whl');
    writeFileSync(path, bomb);
    const found = await install(path);
    expect(found).toMatchObject({
      outcome: { kind: 'untrusted', message: expect.stringContaining('one.so') },
      there: [],
    });
    const checked = found.reports.map((line) => Number(/checking (\d+)/.exec(line)?.[1] ?? 0));
    expect(Math.max(0, ...checked)).toBeLessThanOrEqual(contents['one.so'].length);
    // an archive whose directory states a larger size is not read at all
    const larger = await install(wheel({ ...contents, 'one.so': Buffer.alloc(2 ** 24) }));
    expect(larger).toMatchObject({ outcome: { kind: 'untrusted' }, reports: [], there: [] });
  });

  it('is not downloaded beyond the maximum size of a library', async () => {
    let sent = 0;
    const server = createServer((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && sent < 2 ** 28) {
          sent += 2 ** 20;
          if (!response.write(Buffer.alloc(2 ** 20))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    expect(await install(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).toMatchObject({
      outcome: { kind: 'untrusted', message: expect.stringContaining('larger') },
      there: [],
    });
    expect(sent).toBeLessThan(2 ** 27);
  });

  it('tolerates the leftovers of an aborted installation, and does not write through them', async () => {
    const [folder, victim] = [join(temporaryFolder(), 'runtime'), join(temporaryFolder(), 'victim')];
    mkdirSync(join(folder, 'whetstone-library.part'), { recursive: true });
    writeFileSync(join(folder, 'whetstone-library.part', 'one.so'), 'half of');
    writeFileSync(victim, 'not yours');
    symlinkSync(victim, join(folder, 'whetstone-library.part', 'two.so'));
    writeFileSync(join(folder, 'whetstone-install'), JSON.stringify({ pid: 0x7ffffffe, started: '1' }));
    expect(await install(wheel(), folder)).toMatchObject({ outcome: null, there: ['one.so', 'two.so'] });
    expect(readFileSync(victim, 'utf8')).toBe('not yours');
  });

  it('that was aborted between two moves is completed by the next installation from any source', async () => {
    const folder = join(temporaryFolder(), 'runtime');
    mkdirSync(join(folder, 'whetstone-library'), { recursive: true });
    writeFileSync(join(folder, 'two.so'), contents['two.so']);
    writeFileSync(join(folder, 'whetstone-library', 'one.so'), contents['one.so']);
    expect(await install(join(temporaryFolder(), 'nothing.whl'), folder)).toMatchObject({
      outcome: null,
      there: ['one.so', 'two.so'],
    });
    // files that another program has put there are not used
    mkdirSync(join(folder, 'whetstone-library'));
    writeFileSync(join(folder, 'whetstone-library', 'one.so'), Buffer.alloc(contents['one.so'].length));
    expect(await install(join(temporaryFolder(), 'nothing.whl'), folder)).toMatchObject({
      outcome: { kind: 'not-found' },
      there: ['one.so', 'two.so'],
    });
    expect(readFileSync(join(folder, 'one.so')).equals(contents['one.so'])).toBe(true);
  });

  it('is installed by one process at a time', async () => {
    const folder = join(temporaryFolder(), 'runtime');
    const [first, second] = await Promise.all([install(wheel(), folder), install(wheel(), folder)]);
    const outcomes = [first.outcome, second.outcome]
      .map((outcome) => (outcome as { kind?: string } | null)?.kind ?? 'installed')
      .sort();
    expect(outcomes).toEqual(['conflict', 'installed']);
    expect(readdirSync(folder).sort()).toEqual(['one.so', 'two.so']);
  });

  it('is known only for the runtime version that this project pins', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../node_modules/onnxruntime-node/package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(Object.keys(libraryFor(version, 'cuda', 'linux-x64'))).toContain(
      'libonnxruntime_providers_cuda.so',
    );
    expect(() => libraryFor('0.1.0', 'cuda', 'linux-x64')).toThrow(/No provider library/);
  });
});
