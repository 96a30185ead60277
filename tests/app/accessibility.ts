import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type * as Axe from 'axe-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const rules = {
  /** WCAG 2.2, levels A and AA. */
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  /** The rules of these that read colours: a change of the colour scheme changes the result of no other. */
  colours: ['color-contrast', 'link-in-text-block'],
};

/**
 * What axe finds on a page, one text for each rule with up to four elements. It runs in the page itself:
 * axe's own runner opens another page for each result and describes every element that passes, which is most
 * of the time of a test.
 */
export async function violationsOn(page: Page, which: keyof typeof rules): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: typeof Axe };
    const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => {
      const texts = nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary ?? ''})`);
      return `${id}: ${texts.slice(0, 4).join('; ')}`;
    });
  }, rules[which]);
}
