/** Reads numbers inside text, as people and models write them. */

export interface NumberInText {
  readonly value: number;
  /** `50%` has the value 50 and is marked. */
  readonly percent: boolean;
  /** Digits and point as written, without separators: distinguishes integers that a float cannot. */
  readonly digits: string;
}

const SIGN = String.raw`(?:(?<![\p{L}\d_)\]}%])(?<sign>[-−+])(?=[$€£.\d\\])|(?<![\p{L}\d_]))`;
const FRACTION = String.raw`(?:(?<whole>\d{1,15})[  ])?(?<over>\d{1,15})\/(?<under>\d{1,15})(?![\d\/])`;
const LATEX = String.raw`\\[dt]?frac\{(?<top>\d{1,15})\}\{(?<bottom>\d{1,15})\}`;
const DECIMAL = String.raw`(?<decimal>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE](?<exponent>[-−+]?\d{1,3})(?!\w))?`;
const NUMBER = new RegExp(
  String.raw`${SIGN}[$€£]?(?<after>(?<=[$€£])[-−])?(?:${LATEX}|${FRACTION}|${DECIMAL})(?<percent>\s?%|\spercent\b)?`,
  'gu',
);

/** Removes LaTeX's digit separators. */
const plain = (text: string): string =>
  text
    .replaceAll('{,}', ',')
    .replace(/\\[,!;](?=\d)/g, '')
    .replace(/\\([%$])/g, '$1');

const LONGEST = 100_000;

/**
 * Every finite number in a text, in order: signs, currency, thousands, decimals, exponents, fractions (`3/4`,
 * `1 1/2`, `\frac{3}{4}`) and percent. Reads the last 100,000 characters.
 */
export const numbersIn = (text: string): NumberInText[] =>
  [...plain(text.slice(-LONGEST)).matchAll(NUMBER)].flatMap(({ groups = {} }) => {
    const {
      sign,
      after,
      top,
      bottom,
      whole = '0',
      over,
      under,
      decimal = '',
      exponent = '0',
      percent,
    } = groups;
    const digits = decimal.replaceAll(',', '');
    const size =
      top !== undefined
        ? Number(top) / Number(bottom)
        : over !== undefined
          ? Number(whole) + Number(over) / Number(under)
          : Number(`${digits}e${exponent.replace('−', '-')}`);
    const negative = (sign !== undefined && sign !== '+') !== (after !== undefined);
    return Number.isFinite(size)
      ? [
          {
            value: negative ? -size + 0 : size,
            percent: percent !== undefined,
            digits: `${negative ? '-' : ''}${digits}`,
          },
        ]
      : [];
  });

/** The content of the last `\boxed{…}`, braces in balance; null without one. */
export const boxed = (text: string): { readonly at: number; readonly content: string } | null => {
  const at = text.lastIndexOf('\\boxed{');
  if (at < 0) return null;
  const from = at + '\\boxed{'.length;
  for (let depth = 1, end = from; end < text.length; end++) {
    depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
    if (depth === 0) return { at, content: text.slice(from, end) };
  }
  return null;
};

/** The text after the last `mark` on its line; null without one. */
export const afterMark = (
  text: string,
  mark: string,
): { readonly at: number; readonly content: string } | null => {
  const at = mark === '' ? -1 : text.lastIndexOf(mark);
  if (at < 0) return null;
  const [content] = text.slice(at + mark.length).split('\n', 1);
  return { at, content: content.trim() };
};

/**
 * The final number of an answer: in its last `\boxed{…}`, after its last `####`, else the last number of the
 * text. Null if there is none.
 */
export const finalNumber = (text: string): NumberInText | null => {
  const box = boxed(text);
  const mark = afterMark(text, '####');
  if (box && (!mark || box.at > mark.at)) return numbersIn(box.content).at(-1) ?? null;
  return (mark ? numbersIn(mark.content)[0] : numbersIn(text).at(-1)) ?? null;
};

/**
 * True if a text is a single number, apart from a label before it (`####`, `A:`, `Answer:`) and a full stop
 * after it; of several lines the last one counts.
 */
export const isNumber = (text: string): boolean => {
  const last = plain(text.trim()).split('\n').at(-1) ?? '';
  const bare = last
    .replace(/^\s*(?:####|a(?:nswer)?\s*:)\s*/i, '')
    .replace(/\.\s*$/, '')
    .trim();
  return bare.length < 60 && new RegExp(`^(?:${NUMBER.source})$`, 'u').test(bare);
};
