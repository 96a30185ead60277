import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { followed } from '../../../engine/pace/index.ts';
import { evaluateRun } from '../../../engine/rl/run/evaluate-run.ts';
import { openSession } from '../../../engine/rl/run/open-session.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { noResources, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const evaluation = { problems: 200, samples: 4 };
const runs: Record<string, Pick<RunSpecInput, 'method' | 'task'>> = {
  'a policy on demonstrations': { method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } },
  'a policy on pairs': { method: { id: 'dpo' }, task: { kind: 'world', id: 'toy/pairs' } },
  'a policy on its own answers': { method: { id: 'grpo' }, task: { kind: 'world', id: 'toy/copy' } },
  'a judge on pairs': {
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'world', id: 'toy/pairs' },
  },
};

describe('an evaluation reports its progress', () => {
  test.each(Object.entries(runs))(
    '%s: progress never decreases and reaches the total only at the end',
    async (_name, own) => {
      const spec = checkSpec({ models: toyModel, sampling: { maxTokens: 4 }, evaluation, ...own });
      const session = await openSession(
        { runId: 'r', attempt: 1, spec, resources: noResources, outDir: '' },
        device,
      );
      const shares: number[] = [];
      /** The reported share at the time of each finding. */
      const findingShares: [string, number][] = [];
      const tell = (what: string): Promise<void> => {
        findingShares.push([what, shares.at(-1) ?? 0]);
        return Promise.resolve();
      };
      const findings = {
        result: ({ kind }: { kind: string }) => tell(kind),
        metrics: (values: object) => tell(Object.keys(values)[0]),
        keep: () => tell('answers'),
        pairs: () => tell('pairs'),
      };
      await followed({ report: (share) => void shares.push(share) }, () => evaluateRun(session, findings));
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      const before = findingShares.filter(([what]) =>
        ['eval/loss', 'preference-evaluation', 'eval/answers/auc'].includes(what),
      );
      for (const [what, share] of before) expect(share, what).toBeLessThan(0.95);
      const portions = findingShares.filter(([what]) => what === 'answers').map(([, share]) => share);
      expect(new Set(portions).size, 'each portion of the answers is reported').toBe(portions.length);
    },
  );
});
