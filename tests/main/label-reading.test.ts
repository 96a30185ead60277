import { describe, expect, it } from 'vitest';
import { readingOf } from '../../main/use-cases/label-reading.ts';
import { noFindings } from '../support/findings.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

describe('the model requirements of a label set', () => {
  /** Pairs of answers of `bytes` bytes, in two-byte characters; the first has `first` bytes. */
  async function setOf(
    store: Awaited<ReturnType<typeof servicesForTest>>['services']['store'],
    prompts: number,
    bytes: number,
    first: number,
  ): Promise<string> {
    const id = await store.datasets.stage({ name: 'letters', source: 'test' });
    const rows = Array.from({ length: prompts * 2 }, (_none, row) => {
      const at = Math.floor(row / 2);
      const answer = `${'ä'.repeat((at === 0 ? first : bytes) / 2 - 1)}${row % 2}0`;
      return {
        row,
        line: row + 1,
        promptId: `p${at}`,
        prompt: `q${String(at).padStart(3, '0')}`,
        answer,
        reference: null,
        correct: row % 2 === 0,
        source: 'test',
      };
    });
    await store.datasets.append(id, rows, []);
    await store.datasets.finish(id, { hash: 'hash', doctor: noFindings });
    return (
      await store.labelSets.create({
        name: '',
        from: { kind: 'dataset', datasetId: id },
        pairsPerPrompt: 1,
        onlyDiffering: true,
        seed: 0,
      })
    ).id;
  }

  it('are the bytes that nearly all pairs need, read page by page; a single long answer does not count', async () => {
    const { services } = await servicesForTest();
    expect(await readingOf(services, await setOf(services.store, 620, 40, 9000), [])).toEqual({
      bytes: 44,
      readable: [],
    });
    expect((await readingOf(services, await setOf(services.store, 3, 40, 9000), [])).bytes).toBe(9004);
  });

  it('list the checkpoints with the required characters and context, as computed by the engine', async () => {
    const { services, api } = await servicesForTest({ engine: null });
    const models = {
      policy: {
        kind: 'new' as const,
        architecture: { width: 16, layers: 1, heads: 2, context: 96 },
        tokenizer: { kind: 'bytes' as const },
      },
    };
    const own = { budget: { steps: 1, batch: 2 }, evaluation: { problems: 0 } };
    const checkpoints: string[] = [];
    for (const spec of [smallSpec(own), smallSpec({ ...own, models })]) {
      const { runId } = await api.runs.launch({ spec });
      await expect
        .poll(async () => (await api.runs.get({ id: runId })).state, { timeout: 60_000 })
        .toBe('done');
      checkpoints.push((await api.runs.checkpoints({ runId }))[0].id);
    }
    const readable = async (bytes: number) =>
      (await readingOf(services, await setOf(services.store, 4, bytes, bytes), checkpoints)).readable;
    expect([await readable(40), await readable(200)]).toEqual([[checkpoints[1]], []]);
  }, 120_000);
});
