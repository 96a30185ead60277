/** Stands for the steps of a control world, and bonuses for exploring it, in a view of a model on text. */
export const noSteps = (): never => {
  throw new Error('rows of texts are no steps of a control world');
};
