import { describe, expect, it } from 'vitest';
import { compareReport } from '../../main/report/compare.ts';
import { renderReport } from '../../main/report/index.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

describe('the question and the conclusion of a run', () => {
  it('are given at the launch and at its end, kept next to the notes, and removed by an empty text', async () => {
    const { api } = await servicesForTest();
    const { runId: id } = await api.runs.launch({ spec: smallSpec(), question: ' Does it learn? ' });
    expect((await api.runs.get({ id })).question).toBe('Does it learn?');
    await api.runs.edit({ id, notes: 'seen', conclusion: 'It does.' });
    await api.runs.edit({ id, name: 'renamed' });
    const [run] = await api.runs.list({ archived: false });
    expect(run).toMatchObject({
      name: 'renamed',
      notes: 'seen',
      question: 'Does it learn?',
      conclusion: 'It does.',
    });
    const emptied = await api.runs.edit({ id, question: '' });
    expect(emptied).not.toHaveProperty('question');
    expect(emptied).toMatchObject({ conclusion: 'It does.', notes: 'seen' });
  });

  it('are in the report of a comparison, which leaves them out where there are none', async () => {
    const { api } = await servicesForTest();
    const { runId } = await api.runs.launch({ spec: smallSpec({ name: 'asked' }), question: 'Why <b>?' });
    const { runId: other } = await api.runs.launch({ spec: smallSpec({ name: 'plain' }) });
    const report = async (runIds: string[]) =>
      renderReport(await compareReport(api, { runIds, title: 'x', baseline: null, folded: false }));
    expect(await report([runId, other])).toMatch(/Questions and conclusions[^]*Why &lt;b&gt;\?/);
    expect(await report([other])).not.toContain('Questions and conclusions');
  });
});
