import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const Rectangle = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(400),
  height: z.number().int().min(300),
});
export type Rectangle = z.infer<typeof Rectangle>;

/** The window's last bounds, in device-independent pixels. */
export const WindowState = z.object({ bounds: Rectangle.nullable(), maximized: z.boolean() });
export type WindowState = z.infer<typeof WindowState>;

const fresh: WindowState = { bounds: null, maximized: false };

/** The state stored at `path`; a fresh one if it is missing or invalid (it holds nothing worth an error). */
export function readWindowState(path: string): WindowState {
  try {
    return WindowState.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      console.warn(`The window's last place in ${path} could not be read:`, error);
    return fresh;
  }
}

export const writeWindowState = (path: string, state: WindowState): void =>
  writeFileSync(path, JSON.stringify(state), { mode: 0o600 });

/**
 * The bounds if enough of their title bar is on one of the screens' work areas for a person to reach the
 * window; else null.
 */
export function reachable(bounds: Rectangle | null, screens: readonly Rectangle[]): Rectangle | null {
  if (!bounds) return null;
  const grip = { ...bounds, height: 40 };
  const visible = ({ x, y, width, height }: Rectangle) =>
    Math.max(0, Math.min(grip.x + grip.width, x + width) - Math.max(grip.x, x)) *
    Math.max(0, Math.min(grip.y + grip.height, y + height) - Math.max(grip.y, y));
  return Math.max(0, ...screens.map(visible)) >= 120 * 20 ? bounds : null;
}
