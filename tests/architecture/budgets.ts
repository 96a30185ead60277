import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Maximum number of lines by kind of file; the first matching pattern applies. */
const fileBudgets: readonly (readonly [pattern: RegExp, lines: number, name: string])[] = [
  [/^engine\/rl\/methods\/(?!index\.ts$)[^/]+\.ts$/, 60, 'a method'],
  [/^engine\/tensor\/ops\/.+\.ts$/, 250, 'an op'],
  [/^main\/ipc\/(?!serve\.ts$).+\.ts$/, 120, 'a handler'],
  [/\.svelte$/, 200, 'a Svelte component'],
  [/\.(ts|mjs|cjs|js|css)$/, 400, 'a file'],
];
const functionBudget = 60;
/** Maximum width of a line of code, in characters; Prettier breaks at 110 wherever it can. */
const widthBudget = 140;
const code = /\.(ts|svelte|mjs|cjs|js|css)$/;

/** One message for each line of a file that exceeds the maximum width. */
export const overWidth = (path: string, text: string): string[] =>
  code.test(path)
    ? text
        .split('\n')
        .flatMap((line, at) =>
          line.length > widthBudget
            ? [`${path}:${at + 1}: a line of ${line.length} characters, it may have ${widthBudget}`]
            : [],
        )
    : [];

/**
 * One message for each exceeded budget of a file. Tests may have long `describe` bodies, so functions are
 * measured in product code only.
 */
export function overBudget(path: string, text: string): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const budget = fileBudgets.find(([pattern]) => pattern.test(path));
  const found =
    budget && lines > budget[1] ? [`${path}: ${lines} lines, ${budget[2]} may have ${budget[1]}`] : [];
  return path.startsWith('tests/') || !path.endsWith('.ts')
    ? found
    : [...found, ...longFunctions(path, text)];
}

export const overWidthOf = (root: string, paths: readonly string[]): string[] =>
  paths.flatMap((path) => (code.test(path) ? overWidth(path, readFileSync(`${root}/${path}`, 'utf8')) : []));

export const overBudgetOf = (root: string, paths: readonly string[]): string[] =>
  paths
    .filter((path) => fileBudgets.some(([pattern]) => pattern.test(path)))
    .flatMap((path) => overBudget(path, readFileSync(`${root}/${path}`, 'utf8')));

function longFunctions(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const linesOf = (node: ts.Node) => lineOf(node.end) - lineOf(node.getStart(source)) + 1;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isFunctionDeclaration(node) ||
        ts.isFunctionExpression(node) ||
        ts.isArrowFunction(node) ||
        ts.isMethodDeclaration(node) ||
        ts.isConstructorDeclaration(node)) &&
      node.body
    ) {
      const own = linesOf(node) - offered(node.body).reduce((sum, member) => sum + linesOf(member), 0);
      if (own > functionBudget)
        found.push(
          `${path}:${lineOf(node.getStart(source)) + 1}: a function of ${own} lines, it may have ${functionBudget}`,
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Functions that are members of the object that a factory returns: each is measured separately. */
function offered(body: ts.ConciseBody): ts.Node[] {
  const returned = ts.isBlock(body)
    ? body.statements.filter(ts.isReturnStatement).map((s) => s.expression)
    : [body];
  return returned.flatMap((value) => {
    const bare = value && unwrap(value);
    return bare && ts.isObjectLiteralExpression(bare)
      ? bare.properties.filter(
          (p) =>
            ts.isMethodDeclaration(p) || (ts.isPropertyAssignment(p) && ts.isFunctionLike(p.initializer)),
        )
      : [];
  });
}

const unwrap = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
    ? unwrap(node.expression)
    : node;
