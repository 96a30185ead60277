import { WhetstoneError } from '../../../common/errors.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * The ν that makes ties as likely as observed, given the margins: the root of Σ_ties 1 = Σ_all P(tie),
 * P(tie) = ν ⁄ (e^{m⁄2} + e^{−m⁄2} + ν); 0 without a tie.
 */
export const tieStrength = (margins_P: ArrayLike<number>, ties: number): number => {
  const bad = Array.from(margins_P).find((margin) => !Number.isFinite(margin));
  if (bad !== undefined)
    throw new WhetstoneError(
      'numeric',
      `A margin is ${bad}, so the probability of ties cannot be estimated.`,
      {
        where: 'row/nu',
        hint: 'Lower the learning rate.',
      },
    );
  if (ties === 0) return 0;
  const spread = Array.from(margins_P, (m) => 2 * Math.cosh(m / 2));
  // if all are ties, the likelihood has no finite maximum
  const most = 1e3 * Math.max(...spread);
  let [low, high] = [0, most];
  for (let i = 0; i < 100; i++) {
    const nu = (low + high) / 2;
    if (spread.reduce((sum, s) => sum + nu / (s + nu), 0) > ties) high = nu;
    else low = nu;
  }
  return (low + high) / 2;
};

/**
 * ν of Davidson's model by maximum likelihood at the current scores: one half of a coordinate ascent, of
 * which the gradient step is the other.
 */
export const estimateTies = stage({
  id: 'estimateTies',
  station: 'reference',
  needs: ['tokens', 'agreement', 'model/policy'],
  adds: ['row/nu'],
  run: async ({ tokens, agreement, 'model/policy': model }) => {
    const scores = await model.scores(tokens);
    const pairs = scores.length / 2;
    const nu = tieStrength(
      Float64Array.from({ length: pairs }, (_, p) => scores[2 * p] - scores[2 * p + 1]),
      agreement.filter((a) => a === 0.5).length / 2,
    );
    return { columns: { 'row/nu': new Float64Array(scores.length).fill(nu) } };
  },
});
