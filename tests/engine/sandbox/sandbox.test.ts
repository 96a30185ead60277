import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { forkSandbox } from '../../../engine/sandbox/channel.ts';
import {
  Sandbox,
  type Data,
  type Limits,
  type Outcome,
  type SqlRows,
} from '../../../engine/sandbox/index.ts';
import { rejected } from '../../support/errors.ts';

const sandbox = new Sandbox(forkSandbox);
afterAll(() => sandbox.close());

/** A short limit for code that hangs, and a long one for code that ends even on a busy machine. */
const short: Partial<Limits> = { timeMs: 300 };
const long: Partial<Limits> = { timeMs: 15_000 };
const js = async (code: string, args: readonly Data[] = [], limits = long): Promise<Outcome> =>
  (await sandbox.runJs([{ code, args }], limits))[0];
const valueOf = (outcome: Outcome<unknown>): unknown => (outcome.ok ? outcome.value : outcome.error);
const still = async (): Promise<void> => expect(valueOf(await js('(a, b) => a + b', [1, 2]))).toBe(3);

describe('JavaScript in the sandbox', () => {
  it.each([
    ['(row) => row.n + 1', 3],
    ['row => row.n + 1;', 3],
    ['function score(row) { return row.n * 2; }', 4],
    ['function score(row) { return row.n * 2; };', 4],
    ['const k = 3;\nfunction score(row) { return k * row.n; }\nscore', 6],
    ['// what it does\n(row) => row.text.length', 2],
    ['async (row) => { await null; return row.n; }', 2],
    ['(row) => ({ n: row.n, list: [1, "a", null, true] })', { n: 2, list: [1, 'a', null, true] }],
    ['() => NaN', NaN],
    ['() => -Infinity', -Infinity],
    ['() => true', true],
    ['() => null', null],
    ['() => "\\ud83d\\ude00"', '😀'],
  ])('%s', async (code, value) => {
    expect(valueOf(await js(code, [{ n: 2, text: 'ab' }]))).toEqual(value);
  });

  it.each([
    ['() => { for (;;) {} }', 'timeout'],
    ['(() => { for (;;) {} })()', 'timeout'],
    ['() => { for (;;) { try { (() => { for (;;); })(); } catch {} } }', 'timeout'],
    ['() => /(a+)+$/.test("a".repeat(50) + "b")', 'timeout'],
    ['() => { const all = []; for (;;) all.push(new Uint8Array(1e6)); }', 'memory'],
    ['() => { const all = []; for (;;) all.push("x".repeat(1e6) + all.length); }', 'memory'],
    ['() => (function deep() { return 1 + deep(); })()', 'stack'],
    ['() => JSON.parse("[".repeat(1e6))', 'stack'],
    ['() => "x".repeat(1e6)', 'too-large'],
    ['() => Array.from({ length: 1e5 }, (_, i) => i)', 'too-large'],
    ['() => ({ get a() { throw new Error("no") } })', 'threw'],
    ['() => ({ toJSON() { throw new Error("no") } })', 'threw'],
    ['() => { throw { get message() { throw 1 } } }', 'threw'],
    ['() => new Proxy({}, { ownKeys() { throw new Error("no") } })', 'threw'],
    ['() => new Promise(() => {})', 'not-data'],
    ['() => undefined', 'not-data'],
    ['() => Symbol("s")', 'not-data'],
    ['() => () => 1', 'not-data'],
    ['() => ({ toJSON: () => undefined })', 'not-data'],
    ['async () => { throw new TypeError("later") }', 'threw'],
    ['() => import("node:fs")', 'threw'],
    ['(', 'syntax'],
    ['7', 'syntax'],
    ['', 'syntax'],
    ['() => Math.random()', 'threw'],
    ['() => Date.now()', 'threw'],
  ])('%s fails as %s, and the next call works', async (code, kind) => {
    const outcome = await js(code, [], kind === 'timeout' ? short : long);
    expect(outcome.ok ? outcome.value : outcome.error.kind).toBe(kind);
    await still();
  });

  // whichever runs out first: without memory for an error object, QuickJS rejects the promise with null, and
  // frees the memory
  it('stops an endless chain of promises, by its time or memory limit', async () => {
    for (const limits of [short, long]) {
      const outcome = await js(
        '() => Promise.resolve().then(function again() { return Promise.resolve().then(again); })',
        [],
        limits,
      );
      const ended = outcome.ok
        ? outcome.value
        : outcome.error.kind === 'threw'
          ? outcome.error.message
          : outcome.error.kind;
      expect(['timeout', 'memory', 'threw null', 'an error that cannot be read']).toContain(ended);
      await still();
    }
  });

  it('cannot reach the host’s objects', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'Buffer',
      'setTimeout',
      'WebAssembly',
      'Worker',
      'navigator',
      'performance',
      'std',
      'os',
    ];
    const found =
      `() => { const everything = [].constructor.constructor('return this')(); return ` +
      `${JSON.stringify(names)}.filter((name) => name in everything || eval('typeof ' + name) !== 'undefined'); }`;
    expect(valueOf(await js(found))).toEqual([]);
  });

  it('gives each task a separate engine', async () => {
    const code =
      '() => { globalThis.count = (globalThis.count ?? 0) + 1; Array.prototype.map = null; ' +
      'Object.prototype.polluted = 1; return count; }';
    expect(
      (
        await sandbox.runJs([
          { code, args: [] },
          { code, args: [] },
        ])
      ).map(valueOf),
    ).toEqual([1, 1]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('returns results as plain data, whatever their prototype', async () => {
    const value = valueOf(
      await js(
        '() => ({ __proto__: { inherited: 1 }, toJSON() { return { ["__proto__"]: { polluted: 1 }, ' +
          'constructor: 2 }; } })',
      ),
    ) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(value.polluted).toBeUndefined();
  });

  it('cannot be tampered with through built-in functions', async () => {
    const outcome = await js(
      '() => { JSON.stringify = () => "9"; Array.prototype.join = () => "no"; String.prototype.slice = () ' +
        '=> "no"; console.log("a", { b: 1 }); return { c: 1 }; }',
    );
    expect(outcome).toMatchObject({ ok: true, value: { c: 1 }, log: 'a {"b":1}' });
  });

  it('truncates printed output', async () => {
    const outcome = await js('() => { for (let i = 0; i < 5000; i++) console.log("line", i); return 1; }');
    expect(outcome.log.length).toBeLessThanOrEqual(4000);
    expect(outcome.log).toContain('line 7');
  });

  it('measures each task’s own time: the shortest limit gives a timeout, not a crash', async () => {
    const outcomes = await sandbox.runJs(
      Array.from({ length: 5 }, () => ({ code: '() => { for (;;) {} }', args: [] })),
      { timeMs: 1 },
    );
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.kind))).toEqual(
      Array(5).fill('timeout'),
    );
  });

  it('reports the thrown error', async () =>
    expect(valueOf(await js('() => { throw new RangeError("too far") }'))).toEqual({
      kind: 'threw',
      message: 'RangeError: too far',
    }));
});

const shop =
  'CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price INTEGER); INSERT INTO item VALUES (1, ' +
  '"pen", 2), (2, "cup", 5), (3, NULL, 9);';
const sql = async (query: string, setup = shop, limits = long): Promise<Outcome<SqlRows>> =>
  (await sandbox.runSql([{ setup, query }], limits))[0];
const rowsOf = (outcome: Outcome<SqlRows>): unknown => (outcome.ok ? outcome.value.rows : outcome.error);

describe('SQL in the sandbox', () => {
  it.each([
    ['SELECT name FROM item WHERE price > 4 ORDER BY id', [['cup'], [null]]],
    ['-- the dearest\nSELECT max(price) FROM item;', [[9]]],
    ['WITH dear AS (SELECT * FROM item WHERE price > 4) SELECT count(*) FROM dear', [[2]]],
    ['VALUES (1), (2)', [[1], [2]]],
    ["SELECT x'0aff'", [['0aff']]],
  ])('%s', async (query, rows) => expect(rowsOf(await sql(query))).toEqual(rows));

  it.each([
    ['WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n', 'timeout'],
    ['WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n', 'too-large'],
    ['SELECT zeroblob(900000000)', 'memory'],
    ["ATTACH '/tmp/other.db' AS other", 'refused'],
    ["VACUUM INTO '/tmp/copy.db'", 'refused'],
    ['PRAGMA query_only=OFF', 'refused'],
    ['PRAGMA hard_heap_limit=0', 'refused'],
    ['DROP TABLE item', 'refused'],
    ['SELECT 1; DROP TABLE item', 'refused'],
    ['', 'refused'],
    ['-- nothing', 'refused'],
    ['WITH new AS (SELECT 9) INSERT INTO item(id) SELECT * FROM new', 'threw'],
    ["SELECT load_extension('x')", 'threw'],
    ["SELECT writefile('/tmp/x', 'y')", 'threw'],
    ["SELECT readfile('/etc/passwd')", 'threw'],
    ['SELECT random()', 'threw'],
    ['SELECT randomblob(8)', 'threw'],
    ['SELECT nothing FROM item', 'threw'],
    ['SELECT', 'threw'],
  ])('%s fails as %s, and the next query finds the tables unchanged', async (query, kind) => {
    const outcome = await sql(query, shop, kind === 'timeout' ? short : long);
    expect(outcome.ok ? outcome.value : outcome.error.kind).toBe(kind);
    expect(rowsOf(await sql('SELECT count(*), sum(price) FROM item'))).toEqual([[3, 16]]);
  });

  it('allows a setup to create and fill tables, and nothing else', async () => {
    expect(rowsOf(await sql('SELECT 1', "ATTACH 'x' AS y"))).toMatchObject({ kind: 'refused' });
    expect(rowsOf(await sql('SELECT 1', 'PRAGMA hard_heap_limit=1'))).toMatchObject({ kind: 'refused' });
    expect(rowsOf(await sql('SELECT * FROM item', 'CREATE TABLE other(a)'))).toMatchObject({
      kind: 'threw',
      message: 'no such table: item',
    });
  });
});

describe('the process of the sandbox', () => {
  it('is shared by all calls', async () => {
    const own = new Sandbox(forkSandbox);
    const [a, b] = await Promise.all([
      own.runJs([{ code: '() => 1', args: [] }]),
      own.runSql([{ setup: '', query: 'SELECT 2' }]),
    ]);
    expect([valueOf(a[0]), rowsOf(b[0])]).toEqual([1, [[2]]]);
    expect(own.started).toBe(1);
    await own.close();
    expect(valueOf((await own.runJs([{ code: '() => 3', args: [] }]))[0])).toBe(3);
    expect(own.started).toBe(2);
    await own.close();
  });

  it('is replaced when it hangs, and the remaining tasks still run', async () => {
    const own = new Sandbox(forkSandbox);
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const outcomes = await own.runSql(
      ['SELECT 1', endless, 'SELECT 3'].map((query) => ({ setup: shop, query })),
      { timeMs: 1500 },
    );
    expect(outcomes.map(rowsOf)).toEqual([
      [[1]],
      { kind: 'timeout', message: 'It did not end within 1500 ms.' },
      [[3]],
    ]);
    expect(own.started).toBe(2);
    await own.close();
  });

  it('answers many tasks in order', async () => {
    const outcomes = await sandbox.runJs(
      Array.from({ length: 300 }, (_, i) => ({ code: '(i) => i * i', args: [i] })),
    );
    expect(outcomes.map(valueOf)).toEqual(Array.from({ length: 300 }, (_, i) => i * i));
    expect(await sandbox.runJs([])).toEqual([]);
  });

  it('reports when it cannot start', async () => {
    const own = new Sandbox(() => ({
      send: () => undefined,
      onMessage: () => undefined,
      onExit: (gone) => {
        setImmediate(() => gone('ended with code 1'));
      },
      kill: () => undefined,
    }));
    expect(await rejected(own.runJs([{ code: '() => 1', args: [] }]))).toMatchObject({
      kind: 'device-failed',
      message: expect.stringContaining('ended with code 1'),
    });
  });

  it.runIf(process.platform === 'linux')(
    'has no environment, an empty folder, and no file system even for its own host code',
    async () => {
      process.env.WHETSTONE_TEST_SECRET = 'secret';
      const { readFileSync, readlinkSync } = await import('node:fs');
      const own = new Sandbox(forkSandbox);
      await own.runJs([{ code: '() => 1', args: [] }]);
      const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox'));
      expect(children.length).toBeGreaterThan(0);
      for (const pid of children) {
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('WHETSTONE_TEST_SECRET');
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain('--permission');
        expect(readdirSync(readlinkSync(`/proc/${pid}/cwd`))).toEqual([]);
      }
      await own.close();
    },
  );

  it('leaves no files behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'whetstone-test-'));
    writeFileSync(join(folder, 'kept'), '1');
    await js(`() => import("${join(folder, 'kept')}")`);
    await sql(`ATTACH '${join(folder, 'made.db')}' AS made`);
    expect(readdirSync(folder)).toEqual(['kept']);
  });
});
