import type { OpenServices } from '../headless/open.ts';
import type { Answer, Values } from './command.ts';

/** An action of the command `rewards` on one run. */
export type Action = (
  api: OpenServices['api'],
  request: {
    readonly runId: string;
    readonly otherId: string;
    readonly values: Values;
    log(this: void, text: string): void;
  },
) => Promise<Answer>;

export const line = (value: string): string => value.replaceAll(/\s+/g, ' ').slice(0, 60);
export const shown = (value: number | null, digits = 4): string =>
  value === null ? '–' : value.toFixed(digits);
export const percent = (value: number): string => (100 * value).toFixed(1);
export const between = (interval: readonly [number, number] | null): string =>
  interval === null ? '–' : `${percent(interval[0])}–${percent(interval[1])}`;
