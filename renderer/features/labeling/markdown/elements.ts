import type { Token, Tokens } from 'marked';
import { isFormula, type FormulaToken } from './lexer.ts';

/** Loaded once, apart from the page: most sets have no formulas. */
const loading = import('./formula.ts');

type Content = Node | string;

function element(tag: string, content: readonly Content[], className = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** A formula as MathML; as it was written until that is loaded, or if it is no valid TeX. */
function formulaElement({ tex, raw, display }: FormulaToken): HTMLElement {
  const made = element('code', [raw]);
  void loading.then(({ formula }) => {
    const math = formula(tex, display);
    if (math) made.replaceWith(element('span', [math], display ? 'formula display' : 'formula'));
  });
  return made;
}

function listElement({ ordered, start, items }: Tokens.List): HTMLElement {
  const entries = items.map(({ task, checked, tokens }) => {
    const item = element('li', []);
    if (task) {
      const box = element('span', [checked ? '☑ ' : '☐ ']);
      box.setAttribute('aria-label', checked ? 'done' : 'open');
      item.append(box);
    }
    item.append(...contentOf(tokens));
    return item;
  });
  const list = element(ordered ? 'ol' : 'ul', entries);
  if (ordered) list.setAttribute('start', `${Number(start) || 1}`);
  return list;
}

function tableElement({ header, rows }: Tokens.Table): HTMLElement {
  const row = (tag: string, cells: readonly Tokens.TableCell[]) =>
    element(
      'tr',
      cells.map(({ tokens }) => element(tag, contentOf(tokens))),
    );
  const body = rows.map((cells) => row('td', cells));
  return element('table', [element('thead', [row('th', header)]), element('tbody', body)]);
}

function codeBlock({ text }: Tokens.Code): HTMLElement {
  const block = element('pre', [element('code', [text])]);
  block.tabIndex = 0; // a scrolling region takes the focus
  return block;
}

function linkElement({ href, tokens }: Tokens.Link): HTMLElement {
  const made = element('span', contentOf(tokens), 'link');
  made.title = href;
  return made;
}

const childrenOf = (token: Token): readonly Token[] => ('tokens' in token ? (token.tokens ?? []) : []);
const wrapped =
  (tag: string, className?: string) =>
  (token: Token): Content =>
    element(tag, contentOf(childrenOf(token)), className);
const text = (token: Token): Content => (token as Tokens.Text).text;

/** How each kind of token is shown; kinds that are not listed show their source. */
const shown: Readonly<Record<string, (token: never) => Content>> = {
  formula: formulaElement,
  paragraph: wrapped('p'),
  heading: wrapped('p', 'heading'),
  strong: wrapped('strong'),
  em: wrapped('em'),
  del: wrapped('del'),
  blockquote: wrapped('blockquote'),
  codespan: (token: Tokens.Codespan) => element('code', [token.text]),
  br: () => element('br', []),
  hr: () => element('hr', []),
  code: codeBlock,
  list: listElement,
  table: tableElement,
  link: linkElement,
  image: (token: Tokens.Image) => element('span', [`[image: ${token.text} ${token.href}]`], 'link'),
  escape: text,
  text,
  space: () => '',
  def: () => '',
};

/**
 * Tokens of Markdown as nodes, built without a component for each: an answer has hundreds. Links and images
 * show their text and address but load nothing; markup in the text is shown as it was written.
 */
export const contentOf = (tokens: readonly Token[]): Content[] =>
  tokens.flatMap((token) => {
    if (token.type === 'text' && childrenOf(token).length > 0) return contentOf(childrenOf(token));
    if (isFormula(token)) return [formulaElement(token)];
    const show = shown[token.type] as ((token: Token) => Content) | undefined;
    return [show ? show(token) : token.raw];
  });
