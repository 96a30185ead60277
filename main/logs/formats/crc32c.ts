/** Castagnoli's polynomial, reflected (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;

/** `tables[k][b]`: the checksum of byte b followed by k zero bytes, for eight bytes a turn. */
const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  tables[0][byte] = crc;
}
for (let k = 1; k < 8; k += 1)
  for (let byte = 0; byte < 256; byte += 1) {
    const before = tables[k - 1][byte];
    tables[k][byte] = (before >>> 8) ^ tables[0][before & 0xff];
  }
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;

/** CRC-32C of `bytes` from `from` to before `to`, as an unsigned number. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let crc = 0xffffffff;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      t7[crc & 0xff] ^
      t6[(crc >>> 8) & 0xff] ^
      t5[(crc >>> 16) & 0xff] ^
      t4[crc >>> 24] ^
      t3[bytes[at + 4]] ^
      t2[bytes[at + 5]] ^
      t1[bytes[at + 6]] ^
      t0[bytes[at + 7]];
  }
  for (; at < to; at += 1) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]) & 0xff];
  return (crc ^ 0xffffffff) >>> 0;
}

/** The checksum as TFRecord files hold it: rotated right by 15 bits, plus a constant (TensorFlow, lib/hash/crc32c.h). */
export const masked = (crc: number): number =>
  ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) % 0x1_0000_0000;
