import { render } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../engine/common/errors.ts';
import { checkSpec } from '../../engine/index.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { catalogue } from '../support/launch-form.ts';
import RunHeader from '../../renderer/features/runs/RunHeader.svelte';
import { withDevices } from '../../renderer/features/runs/form/stock.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const spec = checkSpec({
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  models: { policy: { kind: 'checkpoint', checkpointId: 'c' } },
});
const actions = (kind: ErrorKind) => {
  const run = {
    id: 'r',
    name: 'run',
    method: 'sft',
    state: 'failed',
    spec,
    error: { kind, message: 'It failed.' },
  } as unknown as Run;
  const done = () => undefined;
  const { container } = render(RunHeader, {
    run,
    mark: markOf(0),
    produces: 'policy',
    startRunId: null,
    onstop: done,
    onresume: done,
    onrename: done,
  });
  return [...container.querySelectorAll('button, a')].map((each) => each.textContent?.trim());
};

describe('a failed run', () => {
  it('is resumed, unless its specification is the error', () => {
    expect(actions('device-failed')).toContain('Resume');
    for (const kind of ['invalid-input', 'unsupported', 'not-found'] as const) {
      expect(actions(kind)).not.toContain('Resume');
      expect(actions(kind)).toContain('Copy and change');
    }
  });
});

describe('the devices of the launch form', () => {
  it('are those that a run may use; the others are named with where to install them', () => {
    const { properties } = withDevices(catalogue.spec, [
      { id: 'cpu', title: 'CPU', state: 'works' },
      { id: 'webgpu', title: 'WebGPU', state: 'failed' },
      { id: 'cuda', title: 'CUDA', state: 'missing' },
    ]) as { properties: { device: { enum: string[]; description: string } } };
    expect(properties.device.enum).toEqual(['cpu']);
    expect(properties.device.description).toContain('Not installed: CUDA; Settings shows how to install it.');
  });
});
