import * as z from 'zod';
import type { LabelMode } from './mode.ts';

const Rewrite = z.strictObject({ text: z.string().min(1).max(200_000) });

export const rewrite: LabelMode = {
  id: 'rewrite',
  title: 'Rewrite',
  summary: 'Edit an answer; the edited answer is preferred to the original.',
  answers: { least: 1, most: 1 },
  value: () => Rewrite,
  pairs: ([original], value) => {
    const { text } = Rewrite.parse(value);
    return text === original ? [] : [{ chosen: text, rejected: original }];
  },
};
