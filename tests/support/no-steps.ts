/** Stands for the steps of a control world in a view of a model on text. */
export const noSteps = (): never => {
  throw new Error('rows of texts are no single steps');
};
