import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { electronBinary, opener, whyNoWindow } from '../../../main/desktop/launcher.ts';

describe('where a window can open', () => {
  const person = { platform: 'linux' as const, isRoot: false };
  it('needs a screen on Linux', () => {
    expect(whyNoWindow({ ...person, env: {} })).toMatch(/no screen/);
    expect(whyNoWindow({ ...person, env: { DISPLAY: ':0' } })).toBeNull();
    expect(whyNoWindow({ ...person, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeNull();
    expect(whyNoWindow({ platform: 'darwin', isRoot: false, env: {} })).toBeNull();
  });
  it('is not as root, since Electron keeps its sandbox', () => {
    expect(whyNoWindow({ platform: 'linux', isRoot: true, env: { DISPLAY: ':0' } })).toMatch(/root/);
  });
});

describe('the opener of addresses', () => {
  it('is null without a screen, and without xdg-open', () => {
    expect(opener({ platform: 'linux', isRoot: false, env: { PATH: '/nowhere' } })).toBeNull();
    expect(opener({ platform: 'linux', isRoot: false, env: { PATH: '/nowhere', DISPLAY: ':0' } })).toBeNull();
  });
  it("is the system's own", () => {
    expect(opener({ platform: 'darwin', isRoot: false, env: {} })?.command).toBe('open');
    expect(opener({ platform: 'win32', isRoot: false, env: {} })?.command).toBe('rundll32');
  });
});

describe("Electron's binary", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'whetstone-electron-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is null where it was not fetched', () => expect(electronBinary(folder, undefined)).toBeNull());
  it('is null where path.txt names a file that is gone', () => {
    writeFileSync(join(folder, 'path.txt'), 'electron');
    expect(electronBinary(folder, undefined)).toBeNull();
  });
  it('is found by its name in path.txt, also in another folder', () => {
    writeFileSync(join(folder, 'path.txt'), 'Electron.exe');
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'Electron.exe'), '');
    expect(electronBinary(folder, undefined)).toBe(join(folder, 'dist', 'Electron.exe'));
    expect(electronBinary(folder, join(folder, 'elsewhere'))).toBeNull();
  });
});
