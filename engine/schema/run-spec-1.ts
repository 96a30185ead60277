/** Specs of version 1, in which some parameters of methods had other names. */

interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly methods: readonly string[];
}

/**
 * Methods that write several answers to a prompt; that learn several times from a batch; whose clipping has
 * two bounds.
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

/** Parameters by their old and new names, and the methods that have them. */
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
 * A spec of version 1 (or of none, as people write them) with the names of today. Anything else comes back as
 * it is: what is wrong with it is said where it is checked. A parameter that is there by both names keeps
 * both, so that the old one is refused.
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
