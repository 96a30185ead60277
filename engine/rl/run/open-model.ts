/** Opens the model that a run begins with: random, a checkpoint's or a model folder's. */
import { configOf, type Head } from '../../models/config.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import { resolveModelFolder } from '../../models/folder.ts';
import { createModel, withHead, type Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef, StartRun } from '../../schema/messages.ts';
import { makeTokenizer } from '../../text/load.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Method } from '../kernel/method.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { adapterOfRun } from './adapter.ts';

/** The head that a method trains. */
export const headOf = (method: Method): Head =>
  method.head ?? (method.produces === 'reward' ? 'reward' : 'next-token');

/** Texts of the method's own, which the alphabet of a new tokenizer must hold as well. */
export const withTexts = (data: TaskData, texts: readonly string[]): TaskData => ({
  ...data,
  texts: [...data.texts, ...texts],
  trainingTexts: [...data.trainingTexts, ...texts],
});

/** The model that the run begins with, with the adapter that it trains, if any. */
export const openModel = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; copiedBytes: number }> => {
  const { model, tokenizer, base, copiedBytes = 0 } = await openPolicy(run, data, head);
  return { tokenizer, copiedBytes, model: adapterOfRun(model, run.spec, base) };
};

/**
 * A model that is random, or a checkpoint's, with the head that the method trains. `base` is where it lies,
 * `copiedBytes` what it took beside the copy with another head.
 */
const openPolicy = async (
  { spec, resources }: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
): Promise<{ model: Model; tokenizer: Tokenizer; base?: BaseRef; copiedBytes?: number }> => {
  const {
    models: { policy: source },
    adapter,
  } = spec;
  if (source.kind === 'new') {
    const tokenizer = makeTokenizer(source.tokenizer, data.texts, data.trainingTexts);
    return {
      tokenizer,
      model: createModel(configOf(source.architecture, tokenizer.vocabulary, head), spec.seed),
    };
  }
  const [id, field] =
    source.kind === 'model' ? [source.modelId, 'modelId'] : [source.checkpointId, 'checkpointId'];
  const folder = resources.checkpoints[id];
  if (folder === undefined)
    throw new WhetstoneError('not-found', `The ${source.kind} '${id}' is not there.`, {
      where: `models.policy.${field}`,
    });
  const added = resources.models?.[id];
  const { model, tokenizer, hash } = await openModelFolder(
    folder,
    source.kind === 'model' ? source.prompts : undefined,
    adapter?.kind === 'lora' ? adapter.base : 'float32',
    added?.base,
  );
  const base = { path: await resolveModelFolder(folder), hash: hash ?? added?.hash ?? null };
  if (model.config.head === head) return { model, tokenizer, base };
  if (head === 'next-token')
    throw new WhetstoneError(
      'invalid-input',
      `This ${source.kind} is a reward model; the method needs one that writes text.`,
      { where: `models.policy.${field}`, hint: 'Choose one of a policy.' },
    );
  return {
    model: withHead(model, head, spec.seed),
    tokenizer,
    base,
    copiedBytes: model.parameters.flat.byteLength,
  };
};
