import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageWriter } from '../../../engine/onnx/protobuf.ts';

const bytes = (write: (w: MessageWriter) => void): number[] => {
  const writer = new MessageWriter();
  write(writer);
  return [...writer.bytes];
};

/** Fields as parsed from the wire format: [number, wire type, value]. */
const read = (message: Uint8Array): [number, number, bigint | Uint8Array][] => {
  const fields: [number, number, bigint | Uint8Array][] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message[at++]);
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    const [field, wire] = [key >> 3, key & 7];
    if (wire === 0) fields.push([field, wire, varint()]);
    else {
      const length = wire === 5 ? 4 : Number(varint());
      fields.push([field, wire, message.slice(at, (at += length))]);
    }
  }
  return fields;
};

// The examples of the format's own documentation.
it('writes 150 in field 1 as 08 96 01', () =>
  expect(bytes((w) => w.int(1, 150))).toEqual([0x08, 0x96, 0x01]));
it('writes "testing" in field 2 as its length and its bytes', () =>
  expect(bytes((w) => w.string(2, 'testing'))).toEqual([0x12, 0x07, ...Buffer.from('testing')]));
it('writes a message in field 3', () =>
  expect(bytes((w) => w.message(3, (inner) => inner.int(1, 150)))).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]));
it('writes −1 in ten bytes', () =>
  expect(bytes((w) => w.int(1, -1))).toEqual([0x08, ...Array(9).fill(0xff), 0x01]));
it('writes a float in little-endian order', () =>
  expect(bytes((w) => w.float(2, 1))).toEqual([0x15, 0, 0, 0x80, 0x3f]));
it('writes fields above 15 in two key bytes', () =>
  expect(bytes((w) => w.int(20, 2))).toEqual([0xa0, 0x01, 0x02]));

it('survives a round trip, whatever the sizes', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.integer({ min: 1, max: 200 }),
          fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.uint8Array({ maxLength: 600 })),
        ),
      ),
      (fields) => {
        const writer = new MessageWriter();
        for (const [field, value] of fields)
          if (typeof value === 'bigint') writer.int(field, value);
          else writer.raw(field, value);
        expect(
          read(writer.bytes).map(([field, , value]) => [
            field,
            typeof value === 'bigint' ? BigInt.asIntN(64, value) : [...value],
          ]),
        ).toEqual(fields.map(([field, value]) => [field, typeof value === 'bigint' ? value : [...value]]));
      },
    ),
  );
});
