import { StringDecoder } from 'node:string_decoder';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { blocksOf } from './blocks.ts';

export interface TextLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** True if the file ends without a line break behind it: it may still be written. */
  readonly isOpen: boolean;
}

const MOST_CHARACTERS = 16_000_000;

/**
 * Lines of a UTF-8 file, in batches, with the bytes read so far. Throws `invalid-input` for a line of more than
 * 16 million characters.
 */
export async function* linesOf(
  path: string,
): AsyncGenerator<{ readonly lines: readonly TextLine[]; readonly bytes: number }> {
  const decoder = new StringDecoder('utf8');
  let [rest, line, bytes] = ['', 0, 0];
  for await (const block of blocksOf(path)) {
    const texts = (rest + decoder.write(block.bytes)).split('\n');
    rest = texts.pop() ?? '';
    bytes = block.at + block.bytes.length;
    yield {
      lines: texts.map((text) => {
        line += 1;
        return { line, text: text.replace(/\r$/, ''), isOpen: false };
      }),
      bytes,
    };
    if (rest.length > MOST_CHARACTERS)
      throw new WhetstoneError('invalid-input', 'A line has more than 16 million characters.', {
        where: `${path}, line ${line + 1}`,
      });
  }
  rest += decoder.end();
  if (rest !== '') yield { lines: [{ line: line + 1, text: rest, isOpen: true }], bytes };
}
