import { add, exp, mul, scalar, square, sub, type Expr } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { noiseNames } from '../context/user-context.ts';
import { binaryCrossEntropy, weightedSum } from '../math/expressions.ts';
import { pairWeights, sideOf } from '../math/pair-losses.ts';
import { shown } from './reward-models.ts';
import { label } from './reward-heads.ts';

/** Labels of the head: a common score, then the mean (or the answer's factors), then the log-variance. */
export const latentLabels = (latents: number): number => 1 + 2 * latents;

/**
 * The head's label is log σ² + this: at random weights the latent then has a deviation of e⁻⁴, so that its noise
 * does not hide the user at the beginning.
 */
const NARROW = 8;

const total = (terms: readonly Expr[]): Expr => terms.reduce((sum, one) => add(sum, one));

/**
 * The negative evidence bound of a reward with a latent of the user (arXiv:2408.10075, section 4.1): −log
 * σ(r(chosen, z) − r(rejected, z)) + β · KL(q(z | comparisons) ‖ N(0, I)), z = μ + σ·ε, averaged over pairs;
 * a tie counts half for each side. Rows in threes: the user's comparisons, whose labels are μ and log σ² + 8, then
 * both answers, r(answer, z) = s₀ + z · φ(answer).
 */
export const latentPreference = ({ latents, beta }: { readonly latents: number; readonly beta: number }) =>
  objective({
    id: `latentPreference(${latents}, ${beta})`,
    needs: ['tokens', 'agreement', 'weight', ...noiseNames(latents)],
    unit: 3,
    prepare: ({ weight }) => ({ weights: pairWeights(weight, 3) }),
    loss: (inputs, learner) => {
      const scores = learner.score(inputs.tokens);
      const at = (k: number, side: number) => sideOf(label(scores, k), side, 3);
      const margin = (k: number) => sub(at(k, 1), at(k, 2));
      const weights = sideOf(inputs.weights, 0, 3);
      const dimensions = noiseNames(latents).map((name, k) => {
        const [mean, logVariance] = [at(1 + k, 0), sub(at(1 + latents + k, 0), scalar(NARROW))];
        const drawn = mul(exp(mul(scalar(0.5), logVariance)), sideOf(inputs[name], 0, 3));
        return {
          gap: mul(add(mean, drawn), margin(1 + k)),
          divergence: mul(scalar(0.5), sub(sub(add(square(mean), exp(logVariance)), logVariance), scalar(1))),
        };
      });
      const gap = add(margin(0), total(dimensions.map((one) => one.gap)));
      const divergence = weightedSum(weights, total(dimensions.map((one) => one.divergence)));
      const fit = weightedSum(weights, binaryCrossEntropy(sideOf(inputs.agreement, 0, 3), gap));
      return {
        loss: add(fit, mul(scalar(beta), divergence)),
        metrics: { ...shown(weights, gap), 'latent/kl': divergence },
      };
    },
  });
