import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { electronBinary, opener, whyNoWindow } from '../../../main/desktop/launcher.ts';

describe('the check for a window', () => {
  const person = { platform: 'linux' as const, isRoot: false };
  it('requires a display on Linux', () => {
    expect(whyNoWindow({ ...person, env: {} })).toMatch(/no screen/);
    expect(whyNoWindow({ ...person, env: { DISPLAY: ':0' } })).toBeNull();
    expect(whyNoWindow({ ...person, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeNull();
    expect(whyNoWindow({ platform: 'darwin', isRoot: false, env: {} })).toBeNull();
  });
  it('fails as root, since Electron keeps its sandbox', () => {
    expect(whyNoWindow({ platform: 'linux', isRoot: true, env: { DISPLAY: ':0' } })).toMatch(/root/);
  });
});

describe('the command that opens addresses', () => {
  it('is null without a display or xdg-open', () => {
    expect(opener({ platform: 'linux', isRoot: false, env: { PATH: '/nowhere' } })).toBeNull();
    expect(opener({ platform: 'linux', isRoot: false, env: { PATH: '/nowhere', DISPLAY: ':0' } })).toBeNull();
  });
  it("is the system's default", () => {
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

  it('is null if it was not downloaded', () => expect(electronBinary(folder, undefined)).toBeNull());
  it('is null if path.txt names a missing file', () => {
    writeFileSync(join(folder, 'path.txt'), 'electron');
    expect(electronBinary(folder, undefined)).toBeNull();
  });
  it('is found by the name in path.txt, also in another folder', () => {
    writeFileSync(join(folder, 'path.txt'), 'Electron.exe');
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'Electron.exe'), '');
    expect(electronBinary(folder, undefined)).toBe(join(folder, 'dist', 'Electron.exe'));
    expect(electronBinary(folder, join(folder, 'elsewhere'))).toBeNull();
  });
});
