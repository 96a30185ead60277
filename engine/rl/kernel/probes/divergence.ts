import { defineProbe, type Measured } from './probe.ts';

/**
 * Estimators of KL(sampling policy ‖ initial policy), means over the sampled tokens in nats, with d = ln π −
 * ln π_initial: k1 = d, k2 = d² ⁄ 2, k3 = e^(−d) − 1 + d (Schulman 2020, "Approximating KL divergence"). Both
 * at the temperature of sampling. Measured where a stage has computed the initial log-probabilities anyway.
 */
export const divergence = defineProbe({
  id: 'divergence',
  needs: ['mask', 'behaviorLogp', 'logp/initial'],
  measure: ({ mask, behaviorLogp, 'logp/initial': initial }): Measured => {
    const { values: counts } = mask;
    const sums = [0, 0, 0];
    let tokens = 0;
    for (let t = 0; t < counts.length; t++) {
      if (!counts[t]) continue;
      const d = behaviorLogp.values[t] - initial.values[t];
      sums[0] += d;
      sums[1] += (d * d) / 2;
      sums[2] += Math.expm1(-d) + d;
      tokens++;
    }
    if (tokens === 0) return {};
    return { 'kl/k1': sums[0] / tokens, 'kl/k2': sums[1] / tokens, 'kl/k3': sums[2] / tokens };
  },
});
