import type { Token } from 'marked';
import { contentOf } from './elements.ts';
import { tokensOf } from './lexer.ts';

/** Characters of a displayed line, for the estimate of heights. */
const MEASURE = 72;
/** Lines filled at once: several screens, so that a usual answer takes one frame only. */
const FIRST_LINES = 400;

const linesOf = (raw: string): number =>
  raw.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / MEASURE)), 0);

/**
 * Shows a text as Markdown in an element, a part for each top-level token. The first parts are filled at once;
 * those of a very long text, of estimated height until then, when the page has nothing else to do, so that
 * laying an item out ahead holds up no key. Returns a function that ends the filling.
 */
export function showMarkdown(container: HTMLElement, text: string): () => void {
  const waiting: { part: HTMLElement; token: Token }[] = [];
  const parts: HTMLElement[] = [];
  let lines = 0;
  for (const token of tokensOf(text)) {
    if (token.type === 'space') continue;
    const part = document.createElement('div');
    const height = linesOf(token.raw);
    part.className = 'part';
    part.style.containIntrinsicBlockSize = `auto ${(height * 1.6).toFixed(1)}em`;
    if (lines < FIRST_LINES) part.append(...contentOf([token]));
    else waiting.push({ part, token });
    lines += height;
    parts.push(part);
  }
  container.replaceChildren(...parts);
  if (waiting.length === 0) return () => undefined;
  const fill = (deadline: IdleDeadline): void => {
    do {
      const next = waiting.shift();
      if (!next) return;
      next.part.append(...contentOf([next.token]));
    } while (deadline.timeRemaining() > 1);
    request = requestIdleCallback(fill, { timeout: 500 });
  };
  let request = requestIdleCallback(fill, { timeout: 500 });
  return () => cancelIdleCallback(request);
}
