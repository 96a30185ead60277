import ts from 'typescript';

/** Minimum number of shared tokens for a copy: about eight lines. */
const WINDOW = 80;

interface Token {
  readonly word: string;
  readonly line: number;
}

/**
 * A method's declarative metadata, from which forms are built; methods of one family have similar metadata.
 */
const declared = new Set(['params', 'suggested', 'sanity', 'presets', 'optimum']);
const isDeclaration = (node: ts.Node): boolean =>
  ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && declared.has(node.name.text);

/** Tokens of a file to compare: without comments, layout, imports, re-exports and metadata of methods. */
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
 * One message for each duplicated block, with the location of the copy. Overlapping windows count as one
 * block.
 */
export function copies(files: readonly (readonly [path: string, text: string])[], window = WINDOW): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const [path, text] of files) {
    const tokens = tokensOf(text);
    // compare only with windows of this file that end before the current one, so that a block is no copy of
    // itself
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
