import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE = 3;
const MOST_COLOURS = 256;
/** The most frequent colours stay exactly as they are. */
const KEPT_COLOURS = 64;

interface Picture {
  readonly header: Buffer;
  readonly width: number;
  readonly height: number;
  /** Colours row by row, as 0xRRGGBB. */
  readonly pixels: Uint32Array;
}

/**
 * The same picture with a palette of at most 256 colours, about a third of the bytes. Takes a browser's
 * screenshot: 8 bits per channel, not interlaced, opaque. Throws for any other PNG.
 */
export function smallPng(png: Buffer): Buffer {
  const { header, width, height, pixels } = decode(png);
  const { palette, indexOf } = reduce(pixels);
  const rows = Buffer.alloc(height * (1 + width));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (1 + width) + 1 + x] = indexOf.get(pixels[y * width + x] ?? 0) ?? 0;
  header[9] = PALETTE;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const channelsOf = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
];
const distance = (one: number, other: number): number => {
  const there = channelsOf(other);
  return channelsOf(one).reduce((sum, value, at) => sum + (value - there[at]) ** 2, 0);
};

/**
 * The most frequent colours, which are those of surfaces and text, then one of each group of similar ones; all
 * others become the nearest of these.
 */
function reduce(pixels: Uint32Array): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const groups = new Map<number, number>();
  for (const colour of byCount.slice(KEPT_COLOURS)) {
    const group = colour & 0xf8f8f8;
    if (!groups.has(group)) groups.set(group, colour);
  }
  const palette = [...byCount.slice(0, KEPT_COLOURS), ...groups.values()].slice(0, MOST_COLOURS);
  const nearest = (colour: number): number => {
    const distances = palette.map((each) => distance(colour, each));
    return distances.indexOf(Math.min(...distances));
  };
  return { palette, indexOf: new Map(byCount.map((colour) => [colour, nearest(colour)])) };
}

function decode(png: Buffer): Picture {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at))
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + png.readUInt32BE(at)),
    });
  const header = Buffer.from(chunks[0].data);
  const [width, height, bits, kind, interlace] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header[8],
    header[9],
    header[12],
  ];
  const channels = kind === 2 ? 3 : 4;
  if (bits !== 8 || interlace !== 0 || (kind !== 2 && kind !== 6))
    throw new Error('This PNG is no screenshot of a browser.');
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const bytes = unfilter(inflateSync(packed), width * channels, channels);
  const pixels = Uint32Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * channels, 3));
  return { header, width, height, pixels };
}

/** Undoes the filter of each row (PNG specification, section 9). */
function unfilter(data: Buffer, stride: number, channels: number): Buffer {
  const out = Buffer.alloc((data.length / (stride + 1)) * stride);
  for (let at = 0; at < out.length; at++) {
    const [y, x] = [Math.floor(at / stride), at % stride];
    const left = x >= channels ? out[at - channels] : 0;
    const up = y > 0 ? out[at - stride] : 0;
    const corner = x >= channels && y > 0 ? out[at - stride - channels] : 0;
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][data[y * (stride + 1)]];
    out[at] = data[at + y + 1] + guess;
  }
  return out;
}

/** The neighbour that is nearest to `left + up − corner`. */
function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
