import * as z from 'zod';

export { real } from '../../engine/schema/real.ts';

/** A request with one response. */
export interface Call<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly kind: 'call';
  readonly input: I;
  readonly output: O;
}
/**
 * A subscription that yields values until the page closes it. Credit-based, so a slow page gets fewer, merged
 * values.
 */
export interface Feed<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly kind: 'feed';
  readonly input: I;
  readonly output: O;
}
export type Endpoint = Call | Feed;
export type Domain = { readonly [name: string]: Endpoint };
export type Contract = { readonly [domain: string]: Domain };

export const call = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Call<I, O> => ({
  kind: 'call',
  input,
  output,
});
export const feed = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Feed<I, O> => ({
  kind: 'feed',
  input,
  output,
});

/** Checks the shape of the envelope only: elements of numeric arrays are trusted. */
export const float64s = z.instanceof(Float64Array);
export const nothing = z.strictObject({});
/** Cursor of a paged list, newest first: the id of the last entry of the previous page. */
export const before = z.string().min(1).optional();
export const done = z.strictObject({ ok: z.literal(true) });

/** Signature of each endpoint's handler; a missing handler does not compile. */
export type Handlers<D extends Domain> = {
  readonly [K in keyof D]: D[K] extends Call<infer I, infer O>
    ? (input: z.output<I>) => Promise<z.input<O>> | z.input<O>
    : D[K] extends Feed<infer I, infer O>
      ? (input: z.output<I>, signal: AbortSignal) => AsyncIterable<z.input<O>>
      : never;
};

/** Signature of each endpoint on the page's side. */
export type Client<C extends Contract> = {
  readonly [D in keyof C]: {
    readonly [K in keyof C[D]]: C[D][K] extends Call<infer I, infer O>
      ? (input: z.input<I>) => Promise<z.output<O>>
      : C[D][K] extends Feed<infer I, infer O>
        ? (
            input: z.input<I>,
            onValue: (value: z.output<O>) => void,
            onEnd?: (error?: unknown) => void,
          ) => () => void
        : never;
  };
};
