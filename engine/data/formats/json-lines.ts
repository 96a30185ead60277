import { jsonRecord, tooLong, type ParsedRecord, type RecordReader } from './record.ts';

/** One JSON object per line; blank lines are skipped. Lines end with `\n` or `\r\n`. */
export const jsonLines: RecordReader = async function* (chunks, limits) {
  let rest = '';
  let line = 0;
  let skipping = false; // inside an overlong line, which is already reported
  const take = (text: string): ParsedRecord[] => {
    line++;
    if (skipping) {
      skipping = false;
      return [];
    }
    if (text.length > limits.recordCharacters) return [tooLong(line, limits, text)];
    return text.trim() === '' ? [] : [jsonRecord(line, text)];
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const found = lines.flatMap(take);
    if (rest.length > limits.recordCharacters) {
      if (!skipping) found.push(tooLong(line + 1, limits, rest));
      skipping = true;
      rest = '';
    }
    yield found;
  }
  yield take(rest);
};
