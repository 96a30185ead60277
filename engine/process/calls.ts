/** Calls that the engine answers directly, outside any run. */
import { writeAnswers } from '../rl/compute/answers.ts';
import { steeredDecodingOf, guidanceBy, openGuide } from '../rl/compute/decoding.ts';
import { checkDevice } from '../rl/tools/device-check.ts';
import { dryRunOf, preflight } from '../rl/tools/preflight.ts';
import { inspectAgain } from '../rl/tools/inspect-again.ts';
import { examineChart } from '../control/charts/examine-chart.ts';
import { controlWorldById } from '../control/index.ts';
import { rescore } from '../rl/tools/rescore.ts';
import { openRowValues, type RowValuer, type Sample } from '../rl/tools/row-values/index.ts';
import { maskedSums, gather } from '../rl/kernel/rows.ts';
import { encodePrompts } from '../rl/tasks/encoding.ts';
import { withNumericCause, brokenModel } from '../models/broken.ts';
import { openModelAlone, openModelFolder } from '../models/checkpoint.ts';
import { toyRun } from '../rl/tools/toy-run.ts';
import { promptFaults } from '../rl/tools/prompt-faults.ts';
import { tokenFacts } from '../rl/tools/token-facts.ts';
import { tryPrompt } from '../rl/tools/try-prompt.ts';
import { dataDistances } from '../rl/tools/data-distance.ts';
import { exportModel } from '../models/export.ts';
import { checkClosedForms, closedForms } from '../rl/proof/index.ts';
import { inspectModel, recheckModel } from '../models/inspect.ts';
import { measureTexts } from '../models/measure.ts';
import { nextTokenLogits } from '../models/logits.ts';
import { hardwareOf, libraryFolder, offered, runtimeVersion, threadCount } from '../runtime/index.ts';
import { kMeans, principalPlane } from '../labeling/index.ts';
import { theDevice } from './device.ts';
import { judgeCalls } from './judge-calls.ts';
import { scoringCalls } from './scoring-calls.ts';
import { promptIdOf } from '../random/hash.ts';
import { trySnippet } from '../rewards/snippet.ts';
import { judgedBy, openWorldById } from '../worlds/index.ts';
import { sampleOf, verdictOf } from '../worlds/catalogue.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { CallName, CallProgress, EngineCalls } from '../schema/messages.ts';

/** The last source of values stays open, since the rows of a dataset come some at a time. */
let valuer: { readonly key: string; readonly opened: Promise<RowValuer> } | undefined;

const sampled: Sample = (place, prompts, { samples, temperature, maxTokens, seed }) =>
  calls.generate({
    checkpoint: place.folder,
    ...(place.base && { base: place.base }),
    prompts,
    samples,
    temperature,
    maxTokens,
    seed,
  });

const valuerOf = async (source: EngineCalls['rowValues']['input']['source']): Promise<RowValuer> => {
  const key = JSON.stringify(source);
  if (valuer?.key !== key) valuer = { key, opened: openRowValues(await theDevice(), source, sampled) };
  try {
    return await valuer.opened;
  } catch (error) {
    valuer = undefined;
    throw error;
  }
};

/** Demonstrations on which a reward's code is tried. */
const TRIED_ANSWERS = 5;
const demonstrations = ({ id, params }: { id: string; params: Readonly<Record<string, unknown>> }) => {
  const world = openWorldById(id, params);
  return Array.from({ length: TRIED_ANSWERS }, (_, i) => world.demonstration(i, 0));
};

export const calls: {
  readonly [N in CallName]: (
    input: EngineCalls[N]['input'],
    signal?: AbortSignal,
    report?: (progress: CallProgress<N>) => void,
  ) => Promise<EngineCalls[N]['output']>;
} = {
  devices: async () => {
    const found = offered();
    const hardware = await hardwareOf(found.map(({ id }) => id));
    const error = await theDevice().then(
      () => null,
      (reason: unknown) => WhetstoneError.from(reason).facts,
    );
    return found.map(({ id, title, bundled }) => ({
      id,
      title,
      bundled,
      ...hardware[id],
      threads: threadCount(),
      runtimeVersion,
      libraryFolder: libraryFolder(),
      error: id === 'cpu' ? error : null,
    }));
  },
  checkDevice: ({ id }) => checkDevice(id),
  preflight: (input, _signal, report) => preflight(input, report),
  rehearse: (input, _signal, report) => dryRunOf(input, report),
  selfTest: async ({ device }, signal, report) =>
    checkClosedForms(closedForms, await theDevice(device), { signal, report }),
  rescore: async (input, signal, report) => rescore(await theDevice(), input, signal, report),
  inspectAgain: async (input, signal, report = () => undefined) =>
    inspectAgain(await theDevice(), input, signal, report),
  rowValues: async ({ source, rows }, signal, report) => {
    const values = await valuerOf(source);
    return await values(rows, (done) => {
      signal?.throwIfAborted();
      report?.({ done, total: rows.length });
    });
  },
  clusters: ({ values, width, clusters, seed }) => kMeans({ values, width }, clusters, seed),
  plane: ({ values, width }) => principalPlane({ values, width }),
  toyRun: async (input, stop, report) => toyRun(await theDevice(), input, report, stop),
  worldSample: ({ world: { id, params }, ...which }) => sampleOf(openWorldById(id, params), which),
  examineChart: async ({ world, chart, trajectories }) =>
    examineChart(controlWorldById(world, 'world'), chart, trajectories),
  trySnippet: async ({ code, ...on }) => {
    const given = 'rows' in on ? on.rows : demonstrations(on.world);
    const rows = given.map(({ promptId, prompt, answer, reference }) => ({
      promptId,
      prompt,
      completion: answer,
      reference,
      tokens: answer.length + 1,
      stopReason: 'end' as const,
    }));
    return (await trySnippet(code, rows)).map((trial, i) => ({
      prompt: rows[i].prompt,
      completion: rows[i].completion,
      ...trial,
    }));
  },
  generate: async ({
    checkpoint,
    base,
    prompts,
    samples,
    temperature,
    maxTokens,
    seed,
    putPrompts,
    world: worldSpec,
    decoding = {},
    guide,
    draft,
  }) => {
    const device = await theDevice();
    const world = worldSpec && openWorldById(worldSpec.id, worldSpec.params);
    const { model, tokenizer } = await openModelFolder(checkpoint, putPrompts, undefined, base);
    const problems = prompts.map((prompt) => ({ promptId: promptIdOf(prompt), prompt, reference: null }));
    const from_R = Uint32Array.from({ length: prompts.length * samples }, (_, r) => Math.floor(r / samples));
    const encoded = encodePrompts(problems, { tokenizer, context: model.config.context, maxTokens });
    const second = guide && (await openGuide(guide, tokenizer, 'guide'));
    const drafts = draft && (await openGuide(draft, tokenizer, 'draft'));
    const decoder = { device, model, tokenizer, maxTokens, where: 'decoding.' };
    const steered = await steeredDecodingOf(decoding, decoder);
    const answers = await withNumericCause(model, checkpoint, () =>
      writeAnswers(
        gather(encoded, from_R),
        gather(problems, from_R),
        Float64Array.from(from_R, (_, r) => r % samples),
        {
          device,
          model,
          tokenizer,
          temperature,
          maxTokens,
          seed,
          purpose: 'asked',
          step: 0,
          ...(world?.turns && { turns: world.turns }),
          ...steered,
          ...(guide && second && { guidance: guidanceBy(guide, second) }),
          ...(draft && drafts && { draft: { model: drafts, branching: draft.branching } }),
        },
      ),
    );
    const verdicts =
      world &&
      (await judgedBy(
        world,
        answers.completion.map((completion, r) => ({ prompt: prompts[from_R[r]], completion })),
      ));
    const logp = maskedSums(answers.behaviorLogp, answers.mask);
    return answers.completion.map((completion, r) => ({
      prompt: prompts[from_R[r]],
      completion,
      logp: logp[r],
      ...(verdicts && { verdict: verdictOf(verdicts[r]) }),
    }));
  },
  promptFaults,
  dataDistances: async (input) => dataDistances(await theDevice(), input),
  ...judgeCalls,
  ...scoringCalls,
  tryPrompt: async (input, signal) => tryPrompt(await theDevice(), input, signal),
  tokenFacts: async (input) => tokenFacts(await theDevice(), input),
  inspect: ({ folder, bases }) => inspectModel(folder, bases),
  measure: measureTexts,
  recheck: recheckModel,
  export: exportModel,
  logits: async ({ tokens, all, ...place }) => {
    const model = await openModelAlone(place);
    const rows = await nextTokenLogits(await theDevice(), model, tokens, all);
    const bad = rows.flatMap((row) => row.find((logit) => !Number.isFinite(logit)) ?? [])[0];
    if (bad !== undefined) throw brokenModel(`A logit is ${bad}, which is no number`, model, place.folder);
    return rows;
  },
};
