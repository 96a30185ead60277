/** Usual settings of runs, and each method's suggested settings adapted to the initial model. */

/**
 * Defaults for forms whose specification is incomplete; the schemas use the same values. `heldout`: share of
 * the prompts in the held-out split; `maxTokens`: maximum answer length; `context`: longest sequence of a
 * new model, both in tokens.
 */
export const usual = { heldout: 0.15, maxTokens: 48, context: 96 } as const;

type Sections = { readonly [section: string]: unknown };
const record = (value: unknown): Sections =>
  typeof value === 'object' && value !== null ? (value as Sections) : {};

/**
 * Factor of a method's suggested learning rate. Methods state rates for models of some hundred thousand
 * parameters from random weights, as in their toy runs and the demo. A pretrained model is a thousand times
 * larger and must change little: a hundredth of the rate for full training, a tenth for an adapter. That
 * gives the rates of published recipes for models of 0.5 to 8 billion parameters: 2.5e-5 for SFT, 1e-5 for
 * reward models, 1e-6 for DPO, 3e-6 to 5e-6 for policy gradients.
 */
const scaleOf = (spec: Sections): number => {
  if (record(record(spec.models).policy).kind !== 'model') return 1;
  return record(spec.adapter).kind === 'lora' ? 0.1 : 0.01;
};

/** A method's suggestions for a specification that may be incomplete. */
export const suggestedFor = (suggested: Sections, spec: Sections): Sections => {
  const optimizer = record(suggested.optimizer);
  const { learningRate } = optimizer;
  const scale = scaleOf(spec);
  return typeof learningRate === 'number' && scale !== 1
    ? {
        ...suggested,
        optimizer: { ...optimizer, learningRate: Number((learningRate * scale).toPrecision(6)) },
      }
    : suggested;
};

/**
 * Steps of one pass over the pairs that are learned from. A policy that passes over few pairs many times ends
 * far from what it was: 150 steps of DPO on 200 labels took the demo's base from .52 of right answers to .38, one
 * pass to .53 (`npm run bench -- first`).
 */
export const onePass = (pairs: number, batch: number): number => Math.max(1, Math.ceil(pairs / batch));
