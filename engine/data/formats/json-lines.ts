import { jsonRecord, tooLong, type ParsedRecord, type RecordReader } from './record.ts';

/** The code of `{`. */
const BRACE = 123;

/** One JSON object per line; blank lines are skipped. Lines end with `\n` or `\r\n`. */
export const jsonLines: RecordReader = async function* (chunks, limits) {
  let rest = '';
  let line = 0;
  let skipping = false; // inside an overlong line, which is already reported
  const take = (text: string): ParsedRecord | null => {
    line++;
    if (skipping) {
      skipping = false;
      return null;
    }
    if (text.length > limits.recordCharacters) return tooLong(line, limits, text);
    return text.charCodeAt(0) !== BRACE && text.trim() === '' ? null : jsonRecord(line, text);
  };
  for await (const chunk of chunks) {
    const found: ParsedRecord[] = [];
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const line = rest === '' ? chunk.slice(from, end) : rest + chunk.slice(from, end);
      rest = '';
      from = end + 1;
      const one = take(line);
      if (one) found.push(one);
    }
    rest += chunk.slice(from);
    if (rest.length > limits.recordCharacters) {
      if (!skipping) found.push(tooLong(line + 1, limits, rest));
      skipping = true;
      rest = '';
    }
    yield found;
  }
  const last = take(rest);
  yield last ? [last] : [];
};
