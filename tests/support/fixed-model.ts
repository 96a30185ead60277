/** Models whose next token never depends on the text: a closed form of every distribution. */
import { configOf } from '../../engine/models/config.ts';
import { createModel, type Model } from '../../engine/models/model.ts';

/** A model with exactly these logits after every text. */
export const fixedModel = (logits_V: readonly number[], context = 16): Model => {
  const model = createModel(
    configOf({ family: 'gpt2', width: 16, layers: 1, heads: 2, context }, logits_V.length),
    1,
  );
  const width = 16;
  for (const { name } of model.parameters.slots) {
    const values = model.parameters.view(name);
    // the last normalization passes nothing but its bias, the first unit vector
    if (name.endsWith('ln_f.weight')) values.fill(0);
    if (name.endsWith('ln_f.bias')) values.fill(0).set([1]);
    if (name.endsWith('wte.weight'))
      logits_V.forEach((logit, v) => {
        values[v * width] = logit;
      });
  }
  return model;
};
