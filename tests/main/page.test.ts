import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { contentSecurityPolicy, pageFile } from '../../main/headless/page.ts';

describe('files of the page', () => {
  const outer = mkdtempSync(join(tmpdir(), 'whetstone-page-'));
  const folder = join(outer, 'page');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  writeFileSync(join(folder, 'assets', 'a b.js'), 'export {};');
  writeFileSync(join(folder, 'secret.db'), 'rows');
  writeFileSync(join(outer, 'outside.html'), 'not yours');
  afterAll(() => rmSync(outer, { recursive: true }));

  it('serves the page and its assets with their types', async () => {
    expect(await pageFile(folder, '/')).toEqual({
      bytes: Buffer.from('<p>page</p>'),
      type: 'text/html; charset=utf-8',
    });
    expect((await pageFile(folder, '/assets/a%20b.js'))?.type).toBe('text/javascript; charset=utf-8');
  });
  it.each([
    '/absent.js',
    '/assets',
    '/../outside.html',
    '/..%2foutside.html',
    '/%2e%2e/outside.html',
    '/assets/../../outside.html',
    '/secret.db',
    '/%00.html',
    '/%E0%A4%A.html',
    '/index.html/x.js',
  ])('serves nothing at %s', async (path) => expect(await pageFile(folder, path)).toBeNull());
});

describe('the content security policy', () => {
  it('allows no inline script and no eval', () => {
    expect(contentSecurityPolicy()).toContain("script-src 'self';");
    expect(contentSecurityPolicy()).not.toContain('unsafe-eval');
  });
  it('includes the WebSocket address if there is one', () => {
    expect(contentSecurityPolicy('ws://127.0.0.1:4000')).toContain("connect-src 'self' ws://127.0.0.1:4000;");
  });
});
