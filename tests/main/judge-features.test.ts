import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JudgeStatus } from '../../preload/contract/judge.ts';
import { clientOf } from '../support/client.ts';
import { judgedSet, preferred } from '../support/judged-set.ts';
import { writeModelFolder } from '../support/model-folder.ts';
import { servicesForTest } from '../support/workspace.ts';

/** A set with 60 decisions whose judge learns from the features of a small model with this context. */
async function benchForTest(context: number) {
  const { services, api } = await servicesForTest({ engine: null });
  const { store, folder } = services;
  const { id: setId } = await judgedSet(store, 70);
  for (let at = 0; at < 60; at += 1) {
    const [{ pairId, answers }] = await store.labels.queue(setId, [], 1);
    await store.labels.decide({
      pairId,
      verdict: preferred(answers),
      seconds: 1,
      labeler: 'me',
      rationale: '',
    });
  }
  const client = clientOf(api);
  const path = writeModelFolder(join(dirname(folder), 'model'), {
    settings: { vocab_size: 430, max_position_embeddings: context },
  });
  const model = await client.models.add({ path });
  await client.judge.choose({ setId, settings: { model: { kind: 'model', id: model.id } } });
  const fit = (): Promise<JudgeStatus> =>
    new Promise((resolve, reject) => {
      let last: JudgeStatus | null = null;
      client.judge.fit(
        { setId },
        (status) => (last = status),
        (error) => (error || !last ? reject(error as Error) : resolve(last)),
      );
    });
  const features = join(folder, 'artifacts', 'judge');
  /** The files of features, with the times at which they were written. */
  const written = () => readdirSync(features).map((name) => [name, statSync(join(features, name)).mtimeMs]);
  return { fit, features, written, client, setId, services };
}

describe('features of a model', () => {
  it('are computed once, also across a reopening, and again if a file is gone', async () => {
    const { fit, features, written, services } = await benchForTest(256);
    const { fit: first, read, tooLong } = await fit();
    expect(first).toMatchObject({ labels: 60, leftOut: 0 });
    expect([read, tooLong]).toEqual([64, 0]);
    const before = written();
    expect(before).toHaveLength(4);
    const { folder } = services;
    await services.createWorkspace(join(dirname(folder), 'other'), '');
    await services.openWorkspace(folder);
    await fit();
    expect(written()).toEqual(before);
    rmSync(join(features, String(before[0][0])));
    await services.openWorkspace(join(dirname(folder), 'other'));
    await services.openWorkspace(folder);
    await fit();
    expect(written().map(([name]) => name)).toEqual(before.map(([name]) => name));
  });

  it('leave out pairs that are longer than the context, and say how many', async () => {
    const { fit } = await benchForTest(110);
    const { fit: fitted, tooLong, read } = await fit();
    expect(tooLong).toBeGreaterThan(0);
    expect(fitted?.leftOut).toBeGreaterThan(0);
    expect((fitted?.leftOut ?? 0) + (fitted?.labels ?? 0)).toBe(60);
    expect(tooLong).toBeLessThan(read);
  });

  it('are kept by the collection of unused files', async () => {
    const { fit, features, written, client } = await benchForTest(256);
    await fit();
    // only files that have been there for a while are collected
    const old = new Date(Date.now() - 600_000);
    for (const [name] of written()) utimesSync(join(features, String(name)), old, old);
    const before = written();
    await client.workspaces.collect({});
    expect(written()).toEqual(before);
  });
});
