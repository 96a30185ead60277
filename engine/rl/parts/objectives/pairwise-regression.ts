import { WhetstoneError } from '../../../common/errors.ts';
import { solved } from '../../kernel/objective.ts';
import { crossValidated, standardized } from '../../../regression/index.ts';

/**
 * A linear reward head on frozen features, solved in closed form: logistic regression on the differences of
 * a pair's features, with the L2 penalty that predicts held-out prompts best. For few labels, which a
 * trained trunk would memorize.
 */
export const pairwiseRegression = ({ folds }: { readonly folds: number }) =>
  solved({
    id: `pairwiseRegression(${folds} folds)`,
    needs: ['tokens', 'mask', 'promptId', 'pairId', 'chosen', 'agreement', 'weight'],
    fit: async ({ tokens, mask, promptId, agreement, weight }, fitter) => {
      const pairs = promptId.length / 2;
      if (pairs < 2)
        throw new WhetstoneError(
          'invalid-input',
          `A reward head needs at least two labeled pairs; there are ${pairs}.`,
          { where: 'task', hint: 'Label more pairs.' },
        );
      const { values, width } = await fitter.features(tokens, mask);
      if (fitter.rehearsal) return {};
      const { differences, scale } = standardized(values, width, pairs);
      const even = (column: Float64Array) => Float64Array.from({ length: pairs }, (_, p) => column[2 * p]);
      const fitted = await crossValidated({
        differences,
        width,
        targets: even(agreement),
        weights: even(weight),
        groups: even(promptId),
        folds,
      });
      fitter.setHead(fitted.weights.map((w, f) => w / scale[f]));
      const { loss, accuracy, penalty, heldoutLoss, heldoutAccuracy } = fitted;
      return {
        loss,
        'rewards/accuracies': accuracy,
        'crossvalidation/penalty': penalty,
        ...(heldoutLoss !== undefined &&
          heldoutAccuracy !== undefined && {
            'crossvalidation/loss': heldoutLoss,
            'crossvalidation/accuracy': heldoutAccuracy,
          }),
      };
    },
  });
