import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ImportProgress } from '../../preload/contract/datasets.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeModelFolder } from '../support/model-folder.ts';
import { rejected } from '../support/errors.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

const file = fileURLToPath(new URL('../support/conversations.jsonl', import.meta.url));

describe('a file of conversations', () => {
  it('is recognized, stored completely, and used by a run that starts from a model with a chat template', async () => {
    const { api, waitForRun } = await servicesForTest({ engine: null });
    const imported = async (path: string) => {
      const events: ImportProgress[] = [];
      for await (const progress of api.datasets.import(
        { path, name: '', keepGoodLines: false },
        new AbortController().signal,
      ))
        events.push(progress);
      const last = events.at(-1);
      if (last?.state !== 'done') throw new Error('the import did not end');
      return last.dataset;
    };
    const dataset = await imported(file);
    expect(dataset).toMatchObject({
      rows: 3,
      doctor: {
        format: 'JSON lines, conversations',
        prompts: 3,
        why: expect.stringContaining('chat template') as unknown,
      },
    });
    const { rows } = await api.datasets.rows({
      id: dataset.id,
      offset: 1,
      limit: 1,
      search: '',
      show: 'all',
    });
    expect(rows[0].messages?.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(rows[0].answer).toBe('8.');
    const model = async (tokenizer: string) =>
      (
        await api.models.add({
          path: writeModelFolder(join(temporaryFolder(), 'model'), {
            settings: { vocab_size: 430, max_position_embeddings: 256 },
            tokenizer,
          }),
          name: tokenizer,
        })
      ).id;
    const run = async (tokenizer: string) => {
      const spec = {
        ...smallSpec(),
        task: { kind: 'dataset' as const, datasetId: dataset.id, heldout: 0 },
        models: { policy: { kind: 'model' as const, modelId: await model(tokenizer) } },
        budget: { steps: 2, batch: 2 },
      };
      return waitForRun((await api.runs.launch({ spec })).runId);
    };
    expect(await run('qwen2')).toMatchObject({ state: 'done', spec: { task: { roles: ['assistant'] } } });
    expect(await run('gpt2')).toMatchObject({
      state: 'failed',
      error: {
        kind: 'unsupported',
        where: expect.stringMatching(/^conversations\.jsonl:\d, messages$/) as unknown,
        message: expect.stringContaining('chat template') as unknown,
      },
    });
    const odd = join(temporaryFolder(), 'odd.jsonl');
    writeFileSync(
      odd,
      '{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ' +
        '"a"}]}\n{"messages": [{"role": "narrator", "content": "q"}]}',
    );
    expect(await rejected(imported(odd))).toMatchObject({
      kind: 'invalid-input',
      where: `${odd}:2`,
      message: expect.stringContaining('"narrator"') as unknown,
    });
  }, 180_000);
});
