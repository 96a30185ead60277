/** Opens the options of a run's sampling: filters, its grammar, steering, and the model that guides. */
import { WhetstoneError } from '../../common/errors.ts';
import type { OpenFolder } from '../../models/checkpoint.ts';
import type { StartRun } from '../../schema/messages.ts';
import { decodingOf, guidanceBy, openGuide, type Decoding } from '../compute/decoding.ts';
import { openSteering, type SteeringSources } from './open-steering.ts';

const where = 'sampling.guidance';

/**
 * Throws `invalid-input` for a grammar that the tokenizer cannot write in time, and for a guide with another
 * tokenizer or a shorter context, which would cut answers short; `not-found` for a guide that is not there.
 */
export const openDecoding = async (
  { spec: { sampling, seed }, resources }: Pick<StartRun, 'spec' | 'resources'>,
  sources: SteeringSources & { readonly open: OpenFolder },
): Promise<Decoding> => {
  const { model: initial, tokenizer } = sources;
  const { guidance, steering, maxTokens } = sampling;
  const plain: Decoding = {
    ...decodingOf({ ...sampling, steering: undefined }, { tokenizer, maxTokens, where: 'sampling.' }),
    ...(steering &&
      steering.kind !== 'none' && { steering: await openSteering(steering, { sampling, seed }, sources) }),
  };
  if (!guidance || guidance.kind === 'none') return plain;
  if (guidance.kind === 'initial') return { ...plain, guidance: guidanceBy(guidance, initial) };
  const id = guidance.kind === 'model' ? guidance.modelId : guidance.checkpointId;
  const folder = resources.checkpoints[id];
  if (folder === undefined)
    throw new WhetstoneError('not-found', `The ${guidance.kind} '${id}' is not there.`, {
      where: `${where}.${guidance.kind}Id`,
    });
  const guide = await openGuide(
    { folder, base: resources.models?.[id]?.base },
    tokenizer,
    where,
    sources.open,
  );
  const { context } = initial.config;
  if (guide.config.context < context)
    throw new WhetstoneError(
      'invalid-input',
      `The model that guides reads ${guide.config.context} tokens, and prompts with their answers may have ${context}.`,
      {
        where: `${where}.${guidance.kind}Id`,
        hint: 'Guide by a model whose context is at least as long as the policy’s.',
      },
    );
  return { ...plain, guidance: guidanceBy(guidance, guide) };
};
