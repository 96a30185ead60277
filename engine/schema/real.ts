import * as z from 'zod';

/** Any number, NaN and the infinities included: measurements are stored and shown as they are. */
export const real = z.custom<number>((value) => typeof value === 'number', 'must be a number');
