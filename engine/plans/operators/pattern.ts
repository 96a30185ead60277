import * as z from 'zod';

/** A regular expression as a parameter. */
export const patternField = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (text) => {
      try {
        return Boolean(new RegExp(text, 'u'));
      } catch {
        return false;
      }
    },
    { message: 'is no regular expression.' },
  );
