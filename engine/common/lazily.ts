type Computed<T extends object> = { readonly [K in keyof T]: () => T[K] };

/**
 * `known` with further enumerable properties, each computed when it is first read, and kept: of a long list, the
 * program then computes only what it uses.
 */
export function lazily<A extends object, B extends object>(known: A, computed: Computed<B>): A & Readonly<B> {
  for (const key of Object.keys(computed) as (keyof B & string)[])
    Object.defineProperty(known, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = computed[key]();
        Object.defineProperty(known, key, { enumerable: true, value });
        return value;
      },
    });
  return known as A & Readonly<B>;
}
