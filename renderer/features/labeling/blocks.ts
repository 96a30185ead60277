import type { Segment } from '../../lib/text-differences.ts';

/** Consecutive lines of a text, laid out only while they are near the visible part. */
export interface Block {
  readonly segments: readonly Segment[];
  /** Estimated number of displayed lines, for the height of a block that is not laid out yet. */
  readonly lines: number;
}

/** A block ends at the first line break after this many characters. */
const LEAST = 600;
/** Characters of a displayed line, for the estimate. */
const MEASURE = 72;

/**
 * Divides a text at line breaks into blocks. The break between two blocks belongs to neither: they are
 * displayed one below the other.
 */
export function blocksOf(segments: readonly Segment[]): Block[] {
  const blocks: Block[] = [];
  let open: Segment[] = [];
  let length = 0;
  const close = () => {
    const lines = open
      .map(({ text }) => text)
      .join('')
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / MEASURE)), 0);
    blocks.push({ segments: open, lines });
    [open, length] = [[], 0];
  };
  for (const { text, changed } of segments) {
    let from = 0;
    for (;;) {
      const end = text.indexOf('\n', from + Math.max(0, LEAST - length));
      const part = text.slice(from, end < 0 ? undefined : end);
      if (part) open.push({ text: part, changed });
      length += part.length;
      if (end < 0) break;
      close();
      from = end + 1;
    }
  }
  close();
  return blocks;
}
