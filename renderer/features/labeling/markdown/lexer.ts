import { Marked, type Token, type TokenizerAndRendererExtension } from 'marked';

/** A formula in TeX, as a token of the Markdown lexer. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

/** The end of a word or number, or a closing bracket: a sign after it belongs to arithmetic. */
const wordEnd = /[a-z\d)\]]$/i;

/** A dollar sign right after a word or number, as in 20$, is money, unless a sign of TeX follows: 3$\times$3. */
const isAmount = (text: string, before: readonly Token[]): boolean =>
  /^\$(?![$\\^_])/.test(text) && wordEnd.test(before.at(-1)?.raw ?? '');

/** Asterisks and tildes within words and numbers, as text. */
const signs: TokenizerAndRendererExtension = {
  name: 'signs',
  level: 'inline',
  tokenizer: (text, before) => {
    const match = wordEnd.test(before.at(-1)?.raw ?? '') ? /^[*~]+(?=[a-z\d(])/i.exec(text) : null;
    return match ? { type: 'text', raw: match[0], text: match[0], escaped: false } : undefined;
  },
};

const delimited = (display: boolean, pattern: RegExp, begin: RegExp): TokenizerAndRendererExtension => ({
  name: display ? 'displayFormula' : 'inlineFormula',
  level: display ? 'block' : 'inline',
  start: (text) => {
    const at = text.search(begin);
    return at < 0 ? undefined : at;
  },
  tokenizer: (text, before) => {
    const match = isAmount(text, before) ? null : pattern.exec(text);
    if (!match) return undefined;
    const tex = match.slice(1).find((each) => each !== undefined) ?? '';
    return { type: 'formula', raw: match[0], tex: tex.trim(), display };
  },
});

/**
 * Formulas within a line of text, each with its TeX as a group; of bounded length, so that a text of many
 * beginnings takes time in proportion to its length.
 */
const inline = new RegExp(
  `^(?:${[
    /\$\$([^$]{1,2000}?)\$\$/,
    /\\\[([\s\S]{1,2000}?)\\\]/,
    /\\\(([\s\S]{1,2000}?)\\\)/,
    /\$(?![\s\d])([^$\n]{0,400}?[^\s\\])\$(?!\d)/,
    // begins with a digit: only with a sign of TeX, since $5 and $6 are money
    /\$(\d[^$\n]{0,200}[\\^_=+][^$\n]{0,200}?[^\s\\])\$(?!\d)/,
  ]
    .map(({ source }) => source)
    .join('|')})`,
);

/**
 * Formulas between dollar signs or TeX’s brackets; a dollar sign before a digit, as in $5, is money. Asterisks
 * and tildes within words and numbers, as in 5*6*4 and 3~5, stay as they are: emphasis would hide them.
 */
const marked = new Marked({ gfm: true, breaks: true }).use({
  extensions: [
    signs,
    delimited(true, /^(?:\$\$([\s\S]{1,2000}?)\$\$|\\\[([\s\S]{1,2000}?)\\\])[ \t]*(?:\n|$)/, /\$\$|\\\[/),
    delimited(false, inline, /\$|\\\(|\\\[/),
  ],
});

/** Tokens of a Markdown text with formulas; every text has some. */
export const tokensOf = (text: string): Token[] => marked.lexer(text);

export const isFormula = (token: { type: string }): token is FormulaToken => token.type === 'formula';
