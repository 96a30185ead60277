import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelsCommand } from '../../main/commands/labels.ts';
import type { Values } from '../../main/commands/command.ts';
import type { JudgeStatus } from '../../preload/contract/judge.ts';
import { createFolder } from '../../main/store/folder.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { judgedSet, preferred } from '../support/judged-set.ts';

/** A workspace with a set whose first pairs are decided, `wrong` of them against the planted preference. */
async function commandForTest(decisions: number, wrong = 0) {
  const folder = join(temporaryFolder(), 'work');
  const { store, close } = await createFolder(folder);
  const { id: set } = await judgedSet(store, 120);
  for (let at = 0; at < decisions; at += 1) {
    const [{ pairId, answers }] = await store.labels.queue(set, [], 1);
    const choice = preferred(answers);
    const verdict = at >= wrong ? choice : choice === 'left' ? 'right' : 'left';
    await store.labels.decide({ pairId, verdict, seconds: 1, labeler: 'me', rationale: '' });
  }
  await close();
  const run = (action: string, values: Values = {}) =>
    labelsCommand.run({
      positionals: [action, set],
      values: { workspace: folder, ...values },
      json: true,
      log: () => undefined,
    });
  return { run };
}

describe('the command labels, about a judge', () => {
  it('fits it now, prints its curve, and lists what it disagrees with', async () => {
    const { run } = await commandForTest(70, 2);
    const { value, text } = await run('judge', { every: '10' });
    const { fit, settings, disagreements } = value as JudgeStatus;
    expect(fit).toMatchObject({ labels: 70, leftOut: 0 });
    expect(settings.every).toBe(10);
    expect(text).toMatch(
      /^accuracy \S+ \[\S+, \S+\] on left-out prompts, at 70 labels\nlabels +accuracy\n25 /,
    );
    expect(disagreements).toBeGreaterThanOrEqual(2);
    const listed = await run('disagreements');
    expect(listed.value).toMatchObject({ total: disagreements });
    expect(listed.text.split('\n')).toHaveLength(disagreements + 1);
  });

  it('orders a queue, and says until when it stays random', async () => {
    const { run } = await commandForTest(3);
    expect((await run('order', { order: 'uncertain' })).text).toBe('uncertain: random until 50 decisions');
    expect((await run('order', { order: 'novelty', params: '{"ahead":5}' })).text).toBe('novelty: ordered');
    expect((await run('order', { order: 'random' })).text).toBe('random');
    expect(await rejected(run('judge'))).toMatchObject({ kind: 'invalid-input' });
    expect(await rejected(run('order', { order: 'best' }))).toMatchObject({ kind: 'not-found' });
    expect(await rejected(run('order', { order: 'novelty', params: '{' }))).toMatchObject({
      where: '--params',
    });
  });
});
