import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { defineReward } from './reward.ts';

interface Call {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const CallShape = z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()).default({}) });
/** Maximum number of calls compared in an answer; no reference has as many. */
const MOST_CALLS = 12;

/** Canonical text of a JSON value, whatever the order of its keys. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .join(',')}}`;
};

/** One call per line, as JSON; null if a line is not a call. */
const callsIn = (text: string): readonly Call[] | null => {
  const calls: Call[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return null;
    }
    const read = CallShape.safeParse(value);
    if (!read.success) return null;
    calls.push({
      name: read.data.name,
      parameters: new Map(
        Object.entries(read.data.parameters).map(([key, inner]) => [key, canonical(inner)]),
      ),
    });
  }
  return calls;
};

/** An optional block that contains neither its own mark nor its end; its text is the group `name`. */
const block = (mark: string, name: string): string =>
  `(?:<${mark}>(?<${name}>(?:(?!</?${mark}>)[\\s\\S])*)</${mark}>\\s*)?`;
const BLOCKS = new RegExp(
  `^\\s*${block('think', 'think')}${block('tool_call', 'calls')}${block('response', 'response')}$`,
);
const CALLS = /<tool_call>((?:(?!<\/?tool_call>)[\s\S])*)<\/tool_call>/;

/** |a ∩ b| ⁄ |a ∪ b|; 1 for two empty sets. */
const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size + b.size === 0 ? 1 : a.intersection(b).size / a.union(b).size;

/**
 * Score of a call against the expected one: overlap of parameter names, plus one for each parameter with the
 * right value. 0 for another tool.
 */
const matchOf = (expected: Call, made: Call): number => {
  if (expected.name !== made.name) return 0;
  const right = [...expected.parameters].filter(
    ([name, value]) => made.parameters.get(name) === value,
  ).length;
  return overlap(new Set(expected.parameters.keys()), new Set(made.parameters.keys())) + right;
};

/**
 * The greatest sum over one-to-one matchings of expected calls with made ones, by sets of matched made
 * calls.
 */
const bestMatching = (expected: readonly Call[], made: readonly Call[]): number => {
  let best = new Map<number, number>([[0, 0]]);
  for (const call of expected) {
    const next = new Map(best);
    for (const [taken, sum] of best) {
      made.forEach((other, at) => {
        if (taken & (1 << at)) return;
        next.set(taken | (1 << at), Math.max(next.get(taken | (1 << at)) ?? 0, sum + matchOf(call, other)));
      });
    }
    best = next;
  }
  return Math.max(...best.values());
};

/**
 * −3 to 3: 6 · score ⁄ greatest score − 3, of tool names, parameter names and parameter values (ToolRL,
 * §3.3). If no call is expected: 3 for none, else −3.
 */
const correctness = (expected: readonly Call[], made: readonly Call[] | null): number => {
  if (made === null) return -3;
  if (expected.length === 0) return made.length === 0 ? 3 : -3;
  const most = 1 + expected.reduce((sum, { parameters }) => sum + 1 + parameters.size, 0);
  const names = overlap(new Set(expected.map(({ name }) => name)), new Set(made.map(({ name }) => name)));
  return (6 * (names + bestMatching(expected, made.slice(0, MOST_CALLS)))) / most - 3;
};

const referenceCalls = (reference: string, prompt: string): readonly Call[] => {
  const block = CALLS.exec(reference)?.[1];
  const calls = callsIn(block ?? (reference.includes('<response>') ? '' : reference));
  if (calls && calls.length <= MOST_CALLS) return calls;
  throw new WhetstoneError(
    'invalid-input',
    `The reference of the prompt "${prompt.slice(0, 80)}" is not a list of at most ${MOST_CALLS} calls.`,
    {
      where: 'rewards: tool-rules',
      hint: 'Write one call a line: {"name": "…", "parameters": {…}}.',
    },
  );
};

/**
 * True if an answer has the required format: thoughts if required, then calls, or a response, or both,
 * depending on whether the reference has calls.
 */
const wellFormed = (completion: string, wantsCalls: boolean, wantsThoughts: boolean): boolean => {
  const blocks = BLOCKS.exec(completion)?.groups;
  if (!blocks || (wantsThoughts && blocks.think === undefined)) return false;
  return wantsCalls
    ? blocks.calls !== undefined && callsIn(blocks.calls) !== null
    : blocks.response !== undefined && blocks.calls === undefined;
};

/**
 * Rules for tool calls (ToolRL: Qian et al. 2025, arXiv:2504.13958, §3.3): 1 for the format, and −3 to 3 for
 * the calls, by the best matching with those of the reference. An answer is `<think>…</think>` (if
 * required), then `<tool_call>` with one `{"name": …, "parameters": {…}}` per line and `</tool_call>`, or
 * `<response>…</response>`; the reference is such an answer, or only the lines.
 */
export const toolRules = defineReward({
  id: 'tool-rules',
  title: 'Tool calls',
  summary:
    'How well the calls of an answer agree with those of the reference: names, parameters and values, ' +
    'each counted; and the form.',
  params: z.strictObject({
    thoughts: z.boolean().default(true).describe('The format requires <think>…</think> first.'),
    form: z.number().min(0).max(10).default(1).describe('Reward of the right format.'),
    calls: z
      .number()
      .min(0)
      .max(10)
      .default(1)
      .describe('Weight of the calls’ correctness, which is −3 to 3.'),
  }),
  needs: ['reference'],
  scorer:
    ({ thoughts, form, calls }) =>
    (rows) =>
      Float64Array.from(rows, ({ completion, reference, prompt }) => {
        const expected = referenceCalls(reference ?? '', prompt);
        const made = callsIn(CALLS.exec(completion)?.[1] ?? '');
        return (
          form * Number(wellFormed(completion, expected.length > 0, thoughts)) +
          calls * correctness(expected, made)
        );
      }),
});
