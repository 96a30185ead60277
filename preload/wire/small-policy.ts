/** A policy of width 32 from random weights, which reads characters; `context` in tokens. */
export const smallPolicy = (context: number, layers = 1) =>
  ({
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers, heads: 2, context },
        tokenizer: { kind: 'characters' },
      },
    },
  }) as const;
