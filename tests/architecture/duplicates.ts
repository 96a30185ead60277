import ts from 'typescript';

/** Tokens that two places must share before they count as copied: some eight lines. */
const WINDOW = 80;

interface Token {
  readonly word: string;
  readonly line: number;
}

/** What a method says of itself as data: forms are made of it, and methods of one family say alike things. */
const declared = new Set(['params', 'suggested', 'sanity', 'presets', 'optimum']);
const isDeclaration = (node: ts.Node): boolean =>
  ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && declared.has(node.name.text);

/** Words of a file as they compare: no comments, layout, imports, re-exports, or declared data of methods. */
function tokensOf(text: string): Token[] {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const tokens: Token[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isImportDeclaration(node) ||
      ts.isExportDeclaration(node) ||
      ts.isJSDoc(node) ||
      isDeclaration(node)
    )
      return;
    if (node.getChildCount(source) > 0) {
      node.getChildren(source).forEach(visit);
      return;
    }
    const written = node.getText(source);
    if (written === '') return;
    tokens.push({
      word: written,
      line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
    });
  };
  visit(source);
  return tokens;
}

/**
 * Blocks that stand in two places: a sentence for each, naming where the copy begins. Overlapping windows are
 * one block.
 */
export function copies(files: readonly (readonly [path: string, text: string])[], window = WINDOW): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const [path, text] of files) {
    const tokens = tokensOf(text);
    // windows of this file count once they lie behind the one that is looked at, so that a block is no copy
    // of itself
    const own: [key: string, place: string][] = [];
    let until = -1;
    for (let at = 0; at + window <= tokens.length; at++) {
      const key = tokens
        .slice(at, at + window)
        .map(({ word }) => word)
        .join(' ');
      const place = `${path}:${tokens[at].line}`;
      if (at >= window) seen.set(own[at - window][0], seen.get(own[at - window][0]) ?? own[at - window][1]);
      own.push([key, place]);
      const other = seen.get(key);
      if (other === undefined) continue;
      if (at > until) found.push(`${place} repeats ${other}`);
      until = at + window;
    }
    own.forEach(([key, place]) => seen.set(key, seen.get(key) ?? place));
  }
  return found;
}
