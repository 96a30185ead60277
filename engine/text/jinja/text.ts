/** Python's string methods that differ from JavaScript's of the same name. */

/** White space for `str.isspace` and `str.strip`. */
const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leading = new RegExp(`^${space}+`);
const spaces = new RegExp(`^${space}+$`);

export const isSpace = (text: string): boolean => spaces.test(text);

/** Strips these characters (white space if null) from one or both ends. */
export const strip = (
  text: string,
  characters: string | null,
  ends: 'both' | 'left' | 'right' = 'both',
): string => {
  const all = [...text];
  const drops = (c: string) => (characters === null ? isSpace(c) : characters.includes(c));
  let from = 0;
  let to = all.length;
  while (ends !== 'right' && from < to && drops(all[from])) from++;
  while (ends !== 'left' && to > from && drops(all[to - 1])) to--;
  return all.slice(from, to).join('');
};

/** Splits at white space, at most `most` times. */
export const splitAtSpace = (text: string, most: number): string[] => {
  const parts: string[] = [];
  for (let rest = text.replace(leading, ''); rest !== '';) {
    const end = most >= 0 && parts.length >= most ? -1 : rest.search(new RegExp(space));
    if (end < 0) {
      parts.push(rest);
      break;
    }
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).replace(leading, '');
  }
  return parts;
};

/** `str.split` and `str.rsplit` with a separator. */
export const splitAt = (text: string, separator: string, most: number, fromRight = false): string[] => {
  const parts = text.split(separator);
  const cuts = parts.length - 1;
  if (most < 0 || most >= cuts) return parts;
  if (fromRight) return [parts.slice(0, cuts - most + 1).join(separator), ...parts.slice(cuts - most + 1)];
  return [...parts.slice(0, most), parts.slice(most).join(separator)];
};

export const splitLines = (text: string, keepEnds = false): string[] => {
  const lines =
    text.match(/[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|$)/g) ?? [];
  const whole = lines.filter((line, at) => line !== '' || at < lines.length - 1);
  return keepEnds
    ? whole
    : whole.map((line) => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, ''));
};

/** `str.replace`; a negative `most` replaces every one. */
export const replace = (text: string, old: string, by: string, most: number): string => {
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const cuts = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
  return (
    parts.slice(0, cuts + 1).join(by) +
    parts
      .slice(cuts + 1)
      .map((part) => old + part)
      .join('')
  );
};

export const capitalize = (text: string): string => {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('').toLowerCase();
};

/** `str.title`: the first of each run of letters that have a case. */
export const title = (text: string): string => text.replace(/\p{Cased}+/gu, capitalize);

/** Jinja's filter `title`, which begins words elsewhere. */
export const titleWords = (text: string): string =>
  text
    .split(/([-\s({[<]+)/u)
    .filter((part) => part !== '')
    .map(capitalize)
    .join('');

export const isUpper = (text: string): boolean => /\p{Cased}/u.test(text) && text === text.toUpperCase();
export const isLower = (text: string): boolean => /\p{Cased}/u.test(text) && text === text.toLowerCase();

/** Jinja's filter `indent`. */
export const indent = (text: string, by: string, first: boolean, blank: boolean): string => {
  const lines = splitLines(`${text}\n`);
  const indented = lines.map((line, at) => (at > 0 && (blank || line !== '') ? by + line : line)).join('\n');
  return first ? by + indented : indented;
};
