/** A stretch of text; `changed` if the other side differs there. */
export interface Segment {
  readonly text: string;
  readonly changed: boolean;
}

const LIMIT = 1_500;
const words = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/**
 * Word-level differences of two texts, by the longest common subsequence of words and punctuation. Texts of
 * more than 1,500 words a side are compared by lines instead, since the table is quadratic.
 */
export function differences(left: string, right: string): { left: Segment[]; right: Segment[] } {
  let [a, b] = [words(left), words(right)];
  if (a.length > LIMIT || b.length > LIMIT) [a, b] = [left.split(/(?<=\n)/), right.split(/(?<=\n)/)];
  if (a.length > LIMIT || b.length > LIMIT)
    return { left: [{ text: left, changed: false }], right: [{ text: right, changed: false }] };
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const [keptA, keptB] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      keptA.add(i++);
      keptB.add(j++);
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
    else j++;
  }
  return { left: stretches(a, keptA), right: stretches(b, keptB) };
}

function stretches(tokens: readonly string[], kept: ReadonlySet<number>): Segment[] {
  const out: { text: string; changed: boolean }[] = [];
  tokens.forEach((text, index) => {
    // White space between two changed words counts as changed, so that they share one highlight.
    const changed =
      !kept.has(index) ||
      (/^\s+$/.test(text) &&
        index > 0 &&
        !kept.has(index - 1) &&
        index + 1 < tokens.length &&
        !kept.has(index + 1));
    const last = out.at(-1);
    if (last && last.changed === changed) last.text += text;
    else out.push({ text, changed });
  });
  return out;
}
