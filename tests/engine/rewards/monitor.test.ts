import { expect, test } from 'vitest';
import { monitor } from '../../../engine/rewards/monitor.ts';

const detail = async (params: object, ...completions: string[]) => {
  const rows = completions.map((completion) => ({
    promptId: 'p',
    prompt: 'q',
    completion,
    tokens: completion.length + 1,
    stopReason: 'end' as const,
  }));
  const { value, lines } = await (await monitor.open(params, {})).detail(rows);
  return {
    value: [...value],
    lines: rows.map((_, r) => [...(lines?.values.subarray(lines.offsets[r], lines.offsets[r + 1]) ?? [])]),
  };
};
const rules = { milestones: ['slow', 'stop'], never: ['crash'] };

test('milestones count in their order, one for each line, and later lines change nothing', async () => {
  expect(await detail(rules, 'slow\nstop\nslow', 'stop\nslow', 'slow stop', '', 'stop\nslow\nstop')).toEqual({
    value: [1, 0.5, 0.5, 0, 1],
    lines: [[0.5, 0.5, 0], [0, 0.5], [0.5], [0], [0, 0.5, 0.5]],
  });
});

test('a forbidden text takes back what was earned, from the line that has it, for good', async () => {
  expect(await detail(rules, 'slow\ncrash\nstop', 'crash', 'slow, crash')).toEqual({
    value: [0, 0, 0],
    lines: [[0.5, -0.5, 0], [0], [0]],
  });
});
