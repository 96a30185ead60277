import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { reachable, readWindowState, writeWindowState } from '../../../main/desktop/window-state.ts';

const screen = { x: 0, y: 0, width: 1920, height: 1040 };
const window = { x: 100, y: 80, width: 1200, height: 800 };

describe("the window's position", () => {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-window-'));
  const path = join(folder, 'window.json');
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  beforeEach(() => warn.mockClear());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the default at the first start, without a warning', () => {
    expect(readWindowState(path)).toEqual({ bounds: null, maximized: false });
    expect(warn).not.toHaveBeenCalled();
  });
  it('is restored as written', () => {
    writeWindowState(path, { bounds: window, maximized: true });
    expect(readWindowState(path)).toEqual({ bounds: window, maximized: true });
  });
  it.each([
    '{',
    '{"bounds":{"x":1},"maximized":false}',
    '{"bounds":{"x":0,"y":0,"width":10,"height":10},"maximized":false}',
  ])('is the default, with a warning, if the file contains %s', (text) => {
    writeFileSync(path, text);
    expect(readWindowState(path).bounds).toBeNull();
    expect(warn).toHaveBeenCalledOnce();
  });

  it('is kept if its title bar can be reached', () => {
    expect(reachable(window, [screen])).toEqual(window);
    expect(reachable({ ...window, x: 1750 }, [screen])).not.toBeNull();
  });
  it('is discarded if its screen is gone, or only an edge would be visible', () => {
    expect(reachable({ ...window, x: 2500 }, [screen])).toBeNull();
    expect(reachable({ ...window, x: 1900 }, [screen])).toBeNull();
    expect(reachable({ ...window, y: -300 }, [screen])).toBeNull();
    expect(reachable(null, [screen])).toBeNull();
  });
});
