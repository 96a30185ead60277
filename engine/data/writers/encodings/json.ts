import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import type { Encoding, RecordOf } from '../writer.ts';

/** Characters of a chunk. */
const CHUNK = 65_536;

async function* joined(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < CHUNK) continue;
    yield waiting;
    waiting = '';
  }
  if (waiting !== '') yield waiting;
}

async function* lines(records: AsyncIterable<RecordOf>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

export const jsonLines: Encoding = { isTable: false, encode: (records) => joined(lines(records)) };

export const gzipJsonLines: Encoding = {
  isTable: false,
  async *encode(records) {
    const source = Readable.from(joined(lines(records)), { objectMode: false });
    const gzip = createGzip();
    source.on('error', (error) => gzip.destroy(error));
    try {
      yield* source.pipe(gzip) as AsyncIterable<Buffer>;
    } finally {
      source.destroy();
      gzip.destroy();
    }
  },
};

async function* elements(records: AsyncIterable<RecordOf>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const record of records) {
    yield `${isFirst ? '[' : ','}\n${JSON.stringify(record)}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}

export const jsonArray: Encoding = { isTable: false, encode: (records) => joined(elements(records)) };
