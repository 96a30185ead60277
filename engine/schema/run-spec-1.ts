/** Specs of version 1, in which some parameters of methods had other names. */

interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly methods: readonly string[];
}

/**
 * Methods that sample several answers per prompt; that train several epochs on a batch; that clip with two
 * bounds.
 */
const groups = [
  'grpo',
  'rloo',
  'gspo',
  'cispo',
  'reinforce-plus-plus',
  'dapo-bytedance',
  'nft',
  'copg',
  'pacs',
  'rover',
  'prefix-rft',
  'oprl',
  'direct-advantage',
  'raft',
  'rest-em',
  'spo',
  'online-dpo',
  'sample',
];
const severalUpdates = [
  'grpo',
  'ppo',
  'gspo',
  'cispo',
  'reinforce-plus-plus',
  'dapo-bytedance',
  'nft',
  'copg',
  'pacs',
  'rover',
  'prefix-rft',
  'direct-advantage',
  'raft',
  'rest-em',
];
const bounds = ['gspo', 'cispo', 'dapo-bytedance'];

/** Parameters by their old and new names, and their methods. */
export const renamed: readonly Renamed[] = [
  { from: 'size', to: 'groupSize', methods: groups },
  { from: 'sd', to: 'scaleBy', methods: ['grpo', 'gspo', 'cispo', 'prefix-rft', 'spo'] },
  { from: 'passes', to: 'epochs', methods: severalUpdates },
  { from: 'criticPasses', to: 'criticEpochs', methods: ['direct-advantage'] },
  { from: 'warmUp', to: 'criticWarmup', methods: ['direct-advantage'] },
  { from: 'low', to: 'clipLow', methods: bounds },
  { from: 'high', to: 'clipHigh', methods: bounds },
  { from: 'smoothing', to: 'labelSmoothing', methods: ['dpo', 'cpo', 'hypo', 'simpo'] },
  { from: 'imitation', to: 'sftWeight', methods: ['cpo', 'slic'] },
  { from: 'wanted', to: 'desirableWeight', methods: ['kto'] },
  { from: 'unwanted', to: 'undesirableWeight', methods: ['kto'] },
  { from: 'most', to: 'maxPerPrompt', methods: ['rest-em'] },
];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Translates a spec of version 1 (or without version, as people write them) to current names. Anything else
 * is returned unchanged, and validated later. A parameter given under both names keeps both, so that the old
 * one is refused.
 */
export const fromVersion1 = (spec: unknown): unknown => {
  if (!isRecord(spec) || (spec.version !== undefined && spec.version !== 1)) return spec;
  const current = { ...spec, version: 2 };
  const { method } = spec;
  if (!isRecord(method) || !isRecord(method.params)) return current;
  const own = renamed.filter(({ methods }) => methods.includes(method.id as string));
  const params = Object.fromEntries(
    Object.entries(method.params).map(([name, value]) => {
      const to = own.find(({ from }) => from === name)?.to;
      return [to === undefined || to in (method.params as object) ? name : to, value];
    }),
  );
  return { ...current, method: { ...method, params } };
};
