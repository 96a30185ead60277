import { broken, isObject, jsonRecord, tooLong, type ParsedRecord, type RecordReader } from './record.ts';

const SEVERAL =
  'The file holds several objects over several lines: write one per line, or put them in a ' +
  'list ([…]) with commas between.';

/** A file with one pretty-printed object: one record. */
export const jsonObject: RecordReader = async function* (chunks, limits) {
  let text = '';
  let isTooLong = false;
  for await (const chunk of chunks) {
    if (!isTooLong) text += chunk;
    isTooLong ||= text.length > limits.recordCharacters;
    yield [];
  }
  const line = text.slice(0, text.search(/\S/)).split('\n').length;
  yield [isTooLong ? withHint(tooLong(1, limits, text)) : judged(line, text)];
};

const withHint = (found: ParsedRecord): ParsedRecord =>
  'reason' in found
    ? { ...found, reason: found.reason.replace('is longer', 'begins an object that is longer') }
    : found;

const judged = (line: number, text: string): ParsedRecord => {
  const found = jsonRecord(line, text);
  if ('value' in found && isObject(found.value)) return found;
  const several = /\}\s*\{/.test(text);
  return 'reason' in found
    ? broken(
        line,
        found.reason.replace('is not', 'begins an object that is not'),
        text,
        several ? SEVERAL : found.hint,
      )
    : found;
};
