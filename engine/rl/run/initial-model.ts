/** The run's initial model, for stages and rewards, during the run and after it. */
import { changesNothing } from '../../models/adapters/lora.ts';
import { frozenBase } from '../../models/inputs.ts';
import { trainedOf, type Model } from '../../models/model.ts';
import { ParameterSet } from '../../models/parameters.ts';
import type { InitialModel } from '../../rewards/index.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { writeAnswers } from '../compute/answers.ts';
import { LiveModel, RowPrograms } from '../compute/live-model.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { answerRows, scoredTokens } from '../evaluation/model-scorers.ts';
import { gather } from '../kernel/rows.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { encodePrompts } from '../tasks/encoding.ts';
import { methodOf } from '../methods/index.ts';
import { headOf, openModel, withTexts } from './open-model.ts';

/**
 * The initial model. With a new adapter it is the frozen base itself, which saves a second copy in memory.
 */
export const initialOf = (programs: RowPrograms, model: Model): LiveModel => {
  const { adapter } = model;
  const parameters = trainedOf(model);
  return new LiveModel(
    programs,
    adapter && changesNothing(adapter, model) ? new ParameterSet([]) : parameters,
    frozenBase(model),
  );
};

/**
 * The initial model as rewards sample from it: at the run's temperature, with random numbers keyed by the
 * prompt only.
 */
export const initialFor = ({
  initial,
  model,
  tokenizer,
  spec,
  world,
}: {
  initial: LiveModel;
  model: Model;
  tokenizer: Tokenizer;
  spec: RunSpec;
  world: TaskData['world'];
}): InitialModel => {
  const {
    device,
    graph: { context },
  } = initial.programs;
  return {
    features: (rows) => initial.features(scoredTokens(rows, tokenizer, context)),
    answers: async (rows, count) => {
      const from_R = Uint32Array.from({ length: rows.length * count }, (_, r) => Math.floor(r / count));
      const problem = rows.map(({ promptId, prompt, reference = null }) => ({ promptId, prompt, reference }));
      const prompts = encodePrompts(problem, { tokenizer, context, maxTokens: spec.sampling.maxTokens });
      const sampled = gather(problem, from_R);
      const sample = Float64Array.from(from_R, (_, r) => r % count);
      const answers = await writeAnswers(gather(prompts, from_R), sampled, sample, {
        device,
        tokenizer,
        model,
        temperature: spec.sampling.temperature,
        maxTokens: spec.sampling.maxTokens,
        seed: spec.seed,
        purpose: 'answers of the initial model',
        step: 0,
        ...(world?.turns && { turns: world.turns }),
      });
      return answerRows({ ...answers, problem: sampled });
    },
  };
};

/**
 * Opens a finished run's initial model for rewards; it answers with the same bits as during the run. Throws
 * `unsupported` for a reward model, which cannot write.
 */
export const openInitial = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  device: Device,
): Promise<InitialModel> => {
  const { spec } = run;
  const method = methodOf(spec);
  const { model, tokenizer } = await openModel(
    run,
    withTexts(data, method.texts(spec.method.params)),
    headOf(method),
  );
  if (model.config.head !== 'next-token')
    throw new WhetstoneError('unsupported', 'The run began with a reward model, which writes no answers.', {
      where: 'rewards',
      hint: 'Choose rewards that do not use the initial model.',
    });
  return initialFor({
    initial: initialOf(new RowPrograms(device, modelGraph(model.config)), model),
    model,
    tokenizer,
    spec,
    world: data.world,
  });
};
