import { gather } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { sampleNumbers } from './sample-groups.ts';

/**
 * One answer per prompt, of tokens in the nucleus of a lagging copy of the policy, the snapshot `average`
 * (arXiv:2210.01241, section 4: NLPO's mask policy). `behaviorLogp` are the policy's own log-probabilities and
 * `keptLogp` those of the nucleus. The masked policy's score is ∇log π(a) − ∇log π(nucleus), and the second term
 * has expectation 0 under advantages of the masked policy, so that credit is not weighted by the nucleus.
 */
export const sampleWithinNucleus = ({ topP }: { readonly topP: number }) =>
  stage({
    id: `sampleWithinNucleus(${topP})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt', 'model/average'],
    adds: ['groupId', 'sample', 'weight', 'tokens', 'mask', 'behaviorLogp', 'completion', 'ended'],
    correctsSampling: true,
    run: async ({ problem, prompt, promptId }, { sample }) => {
      const from_R = Uint32Array.from(promptId, (_, r) => r);
      const sample_R = sampleNumbers(promptId, 1);
      const { weight = new Float64Array(from_R.length).fill(1), ...answers } = await sample(
        gather(prompt, from_R),
        gather(problem, from_R),
        sample_R,
        { nucleus: { model: 'average', topP } },
      );
      return {
        columns: { ...answers, groupId: Float64Array.from(from_R), sample: sample_R, weight },
        from_R,
      };
    },
  });
