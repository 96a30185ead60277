import { Marked, type Token, type TokenizerAndRendererExtension } from 'marked';

/** A formula in TeX, as a token of the Markdown lexer. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

const delimited = (display: boolean, pattern: RegExp, begin: RegExp): TokenizerAndRendererExtension => ({
  name: display ? 'displayFormula' : 'inlineFormula',
  level: display ? 'block' : 'inline',
  start: (text) => {
    const at = text.search(begin);
    return at < 0 ? undefined : at;
  },
  tokenizer: (text) => {
    const match = pattern.exec(text);
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

/** Formulas between dollar signs or TeX’s brackets; a dollar sign before a digit, as in $5, is money. */
const marked = new Marked({ gfm: true, breaks: true }).use({
  extensions: [
    delimited(true, /^(?:\$\$([\s\S]{1,2000}?)\$\$|\\\[([\s\S]{1,2000}?)\\\])[ \t]*(?:\n|$)/, /\$\$|\\\[/),
    delimited(false, inline, /\$|\\\(|\\\[/),
  ],
});

/** Tokens of a Markdown text with formulas; every text has some. */
export const tokensOf = (text: string): Token[] => marked.lexer(text);

export const isFormula = (token: { type: string }): token is FormulaToken => token.type === 'formula';
