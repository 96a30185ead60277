import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordBatch } from '../../../main/logs/formats/blocks.ts';
import { crc32c, masked } from '../../../main/logs/formats/crc32c.ts';
import { LevelDbFraming, levelDbRecords } from '../../../main/logs/formats/leveldb-log.ts';
import { looseJson } from '../../../main/logs/formats/loose-json.ts';
import { MalformedMessage, ProtoReader, ProtoWriter } from '../../../main/logs/formats/protobuf.ts';
import { linesOf } from '../../../main/logs/formats/text-lines.ts';
import { tfRecord, tfRecords } from '../../../main/logs/formats/tf-record.ts';
import { bfloat16Of, halfOf } from '../../../main/logs/readers/tensor.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function readAll(batches: AsyncIterable<RecordBatch>) {
  const records: Buffer[] = [];
  for await (const batch of batches) {
    records.push(...batch.records.map(({ bytes }) => Buffer.from(bytes)));
    if (batch.broken) return { records, broken: batch.broken };
  }
  return { records, broken: null };
}
const fileWith = (bytes: Uint8Array): string => {
  const path = join(temporaryFolder(), 'log');
  writeFileSync(path, bytes);
  return path;
};

/** Sizes around those of a block of 32 kB and its head of seven bytes. */
const sizes = fc.oneof(
  fc.nat({ max: 300 }),
  fc.integer({ min: 32_740, max: 32_790 }),
  fc.integer({ min: 65_500, max: 65_550 }),
);
const payloads = fc.array(
  fc.tuple(sizes, fc.nat({ max: 255 })).map(([size, byte]) => Buffer.alloc(size, byte)),
  { minLength: 1, maxLength: 8 },
);

describe('CRC-32C', () => {
  it('has the values of RFC 3720, appendix B.4, and of its usual check', () => {
    const of = (bytes: Uint8Array) => crc32c(bytes).toString(16);
    expect(of(Buffer.alloc(32))).toBe('8a9136aa');
    expect(of(Buffer.alloc(32, 0xff))).toBe('62a8ab43');
    expect(of(Buffer.from(Array.from({ length: 32 }, (_none, i) => i)))).toBe('46dd794e');
    expect(of(Buffer.from('123456789'))).toBe('e3069283');
    expect(crc32c(Buffer.alloc(0))).toBe(0);
  });
  it('is masked by a rotation and a constant, without exceeding 32 bits', () => {
    expect([0, 0xffffffff, 0x5d7d1528].map(masked)).toEqual([0xa282ead8, 0xa282ead7, 0xccd3a5d2]);
  });
});

describe('records', () => {
  it('of TFRecord files come back as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, async (all) => {
        expect(await readAll(tfRecords(fileWith(Buffer.concat(all.map(tfRecord)))))).toEqual({
          records: all,
          broken: null,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('of LevelDB’s log come back as they were written, across blocks', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, async (all) => {
        const framing = new LevelDbFraming();
        const path = fileWith(Buffer.concat(all.map((each) => framing.frame(each))));
        expect(await readAll(levelDbRecords(path))).toEqual({ records: all, broken: null });
      }),
      { numRuns: 30 },
    );
  });

  it('are read up to the byte at which a file was cut off', async () => {
    const all = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')];
    const whole = Buffer.concat(all.map(tfRecord));
    const framing = new LevelDbFraming();
    const blocks = Buffer.concat(all.map((each) => framing.frame(each)));
    for (const [path, read, start] of [
      [fileWith(whole.subarray(0, -1)), tfRecords, 2 * (12 + 3 + 4)],
      [fileWith(blocks.subarray(0, -1)), levelDbRecords, 7 + 2 * (7 + 3)],
    ] as const)
      expect(await readAll(read(path))).toEqual({
        records: all.slice(0, 2),
        broken: { at: start, reason: 'the last record is incomplete' },
      });
  });

  it('are read up to a flipped bit, wherever it is', async () => {
    const all = [Buffer.alloc(50, 1), Buffer.alloc(50, 2)];
    const framing = new LevelDbFraming();
    const files = [
      [Buffer.concat(all.map(tfRecord)), tfRecords, 66] as const,
      [Buffer.concat(all.map((each) => framing.frame(each))), levelDbRecords, 7 + 57] as const,
    ];
    for (const [bytes, read, second] of files)
      for (let at = second; at < bytes.length; at += 1) {
        const damaged = Buffer.from(bytes);
        damaged[at] ^= 0x10;
        const { records, broken } = await readAll(read(fileWith(damaged)));
        expect(records).toEqual(all.slice(0, 1));
        expect(broken?.at).toBe(second);
      }
  });

  it('of a file that grows are all there when it is read again', async () => {
    const path = fileWith(tfRecord(Buffer.from('one')));
    const next = tfRecord(Buffer.from('two'));
    appendFileSync(path, next.subarray(0, 10));
    expect((await readAll(tfRecords(path))).records).toHaveLength(1);
    appendFileSync(path, next.subarray(10));
    expect(await readAll(tfRecords(path))).toMatchObject({ records: [{}, {}], broken: null });
  });
});

describe('messages', () => {
  const safe = fc.oneof(
    fc.maxSafeInteger(),
    fc.nat(),
    fc.constantFrom(-1, 0, 127, 128, 2 ** 49, 2 ** 53 - 1),
  );

  it('come back as they were written: integers, floats, texts and nested messages of any length', () => {
    fc.assert(
      fc.property(
        safe,
        fc.double(),
        fc.string({ unit: 'grapheme' }),
        fc.nat({ max: 20_000 }),
        (n, x, text, size) => {
          const writer = new ProtoWriter();
          const long = 'x'.repeat(size);
          writer
            .integer(1, n)
            .double(20, x)
            .message(3, () => writer.text(4, long).message(5, () => void writer.float(6, Math.fround(x))))
            .text(7, text);
          const reader = new ProtoReader(Buffer.from(writer.taken()));
          expect([reader.next(), reader.integer(), reader.next(), reader.double()]).toEqual([1, n, 20, x]);
          expect(reader.next()).toBe(3);
          const nested = reader.nested();
          expect([nested.next(), nested.text(), nested.next()]).toEqual([4, long, 5]);
          const inner = nested.nested();
          expect([inner.next(), inner.float(), inner.next(), nested.next()]).toEqual([
            6,
            Math.fround(x),
            0,
            0,
          ]);
          expect([reader.next(), reader.text(), reader.next()]).toEqual([7, text, 0]);
        },
      ),
    );
  });

  it('are refused, never misread or read for ever, if their bytes are arbitrary', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reader = new ProtoReader(bytes);
        try {
          while (reader.next() !== 0) reader.skip();
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
  });
});

describe('numbers', () => {
  it('of 16 bits are read by IEEE 754 and as the upper half of a float32', () => {
    expect([0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0xfc00, 0x3555].map(halfOf)).toEqual([
      1,
      -2,
      65_504,
      2 ** -24,
      2 ** -14,
      Infinity,
      -Infinity,
      0.333251953125,
    ]);
    expect(halfOf(0x7e00)).toBeNaN();
    expect([0x3f80, 0xc000, 0x7f80, 0x3eab].map(bfloat16Of)).toEqual([1, -2, Infinity, 0.333984375]);
  });

  it('that JSON does not have are read where Python writes them, and not within strings', () => {
    expect(looseJson('{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN, \\"Infinity\\""}')).toEqual({
      a: Number.NaN,
      b: [-Infinity, Infinity],
      c: 'NaN, "Infinity"',
    });
    expect(() => looseJson('{"a": NaN')).toThrow(SyntaxError);
  });
});

describe('lines', () => {
  it('are whole where characters and lines cross blocks, and the last one says that it is open', async () => {
    const text = Array.from({ length: 40_000 }, (_none, i) => `Zeile ${i} “äöü” ${'…'.repeat(i % 40)}`).join(
      '\n',
    );
    const path = fileWith(Buffer.from(text));
    const found: string[] = [];
    const open: number[] = [];
    for await (const { lines } of linesOf(path))
      for (const { line, text: one, isOpen } of lines) {
        found.push(one);
        if (isOpen) open.push(line);
      }
    expect(found.join('\n')).toBe(readFileSync(path, 'utf8'));
    expect(open).toEqual([40_000]);
  });
});
