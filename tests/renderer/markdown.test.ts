import { render } from '@testing-library/svelte';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import Markdown from '../../renderer/features/labeling/markdown/Markdown.svelte';
import { formula } from '../../renderer/features/labeling/markdown/formula.ts';
import { isFormula, tokensOf } from '../../renderer/features/labeling/markdown/lexer.ts';

const shown = async (text: string): Promise<HTMLElement> => {
  const { container } = render(Markdown, { text });
  await import('../../renderer/features/labeling/markdown/formula.ts');
  await new Promise((resolve) => setTimeout(resolve, 0));
  return container;
};
const texOf = (text: string): string[] => {
  const found: string[] = [];
  const visit = (tokens: readonly object[]): void =>
    tokens.forEach((token) => {
      if ('type' in token && isFormula(token as { type: string }))
        found.push((token as unknown as { tex: string }).tex);
      else if ('tokens' in token) visit(token.tokens as object[]);
    });
  visit(tokensOf(text));
  return found;
};

describe('a rendered text', () => {
  afterAll(() => void vi.unstubAllGlobals());

  it('has headings, lists, tables and code as elements', async () => {
    const page = await shown('# Title\n\n1. one\n2. **two**\n\n| a |\n|---|\n| 1 |\n\n```\nx < y\n```');
    expect(page.querySelector('ol strong')?.textContent).toBe('two');
    expect(page.querySelector('td')?.textContent).toBe('1');
    expect(page.querySelector('pre')?.textContent).toBe('x < y');
  });

  it('keeps line breaks and text that only looks like markup', async () => {
    const page = await shown('1+2=3\n#3 & <b>bold</b> a &lt; b');
    expect(page.querySelector('br')).not.toBeNull();
    expect(page.querySelector('b')).toBeNull();
    expect(page.textContent).toContain('<b>bold</b>');
  });

  it('shows all of a very long text, part after part while the page is idle', async () => {
    vi.stubGlobal('requestIdleCallback', (run: (deadline: { timeRemaining: () => number }) => void) =>
      setTimeout(() => run({ timeRemaining: () => 0 }), 0),
    );
    vi.stubGlobal('cancelIdleCallback', clearTimeout);
    const paragraphs = Array.from({ length: 450 }, (_none, at) => `Paragraph ${at}.`);
    const page = await shown(paragraphs.join('\n\n'));
    const parts = [...page.querySelectorAll('.part')];
    expect(parts).toHaveLength(450);
    expect(parts[399].textContent).toBe('Paragraph 399.');
    await vi.waitFor(() => expect(parts.map((part) => part.textContent)).toEqual(paragraphs));
  });

  it('keeps every sign of arithmetic', async () => {
    const text = '5*6*4=120, 2**3**2, 3~5 and 7~9, (1+1)*2 and (2+2)*3';
    expect((await shown(text)).textContent?.trim()).toBe(text);
    const page = await shown('*once* and **twice**, ~~never~~');
    expect([...page.querySelectorAll('em, strong, del')].map((each) => each.textContent)).toEqual([
      'once',
      'twice',
      'never',
    ]);
  });

  it('loads nothing and runs nothing, whatever the text', async () => {
    const part = fc.constantFrom(
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '![i](https://x.invalid/i.png)',
      '<https://x.invalid>',
      '$\\href{javascript:alert(1)}{x}$',
      '$\\includegraphics{https://x.invalid/i.png}$',
      '$$\\htmlData{a=b}{x}$$',
      '<iframe srcdoc="<script>1</script>">',
      '<style>@import "x"</style>',
      '`code`',
      '> quote\n',
      '\n\n',
      '| a |\n|---|\n| <svg onload=alert(1)> |\n',
      'text',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const page = await shown(parts.join(' '));
        expect(page.querySelector('script, img, iframe, style, a, svg, object, [href], [src]')).toBeNull();
        const handlers = [...page.querySelectorAll('*')].flatMap((each) =>
          each.getAttributeNames().filter((name) => name.startsWith('on')),
        );
        expect(handlers).toEqual([]);
      }),
      { seed: 13, numRuns: 60 },
    );
  });
});

describe('formulas', () => {
  it('are found between dollar signs and TeX brackets; prices are none', () => {
    expect(texOf('a $x^2$, \\(y\\) and\n\n$$\nz\n$$\n\n\\[w\\]')).toEqual(['x^2', 'y', 'z', 'w']);
    expect(texOf('It costs $5 or $6, and $ 7 $.')).toEqual([]);
    expect(texOf('`$x$`')).toEqual([]);
    expect(texOf('Then\n$$x$$\nand so')).toEqual(['x']);
    expect(texOf('Each sold for 20$, so the total is 115*20 = 2300$')).toEqual([]);
    expect(texOf('a 3$\\times$ 3 kernel, ($y$)')).toEqual(['\\times', 'y']);
  });

  it('become MathML; text that is no TeX stays as it is', () => {
    expect(formula('\\frac{1}{2}', false)?.querySelector('mfrac')).not.toBeNull();
    expect(formula('\\frac{1}', false)).toBeNull();
    expect(formula('\\def\\a{\\a\\a}\\a', false)).toBeNull();
  });
});
