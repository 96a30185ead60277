import { describe, expect, it } from 'vitest';
import { Config } from '../../main/services/config.ts';
import { Devices } from '../../main/services/devices.ts';
import { selfTest } from '../../main/use-cases/self-test.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, smallSpec, type TestOptions } from '../support/workspace.ts';

const bench = async (engine: TestOptions['engine'], limitMs?: number) => {
  const config = new Config(temporaryFolder());
  const { services, api } = await servicesForTest({ engine, config });
  return {
    api,
    config,
    devices: limitMs === undefined ? services.devices : new Devices(services.engine, config, limitMs),
    services,
  };
};
const stateOf = async (devices: Devices, id: string) =>
  (await devices.list()).find((device) => device.id === id);

describe('the device list', () => {
  it('lists the devices before any check', async () => {
    const { api } = await bench([]);
    expect((await api.system.devices({})).map(({ id, state }) => [id, state])).toEqual([
      ['cpu', 'works'],
      ['webgpu', 'unchecked'],
      ['cuda', 'missing'],
    ]);
  });

  it('caches the result of a check for the same runtime on the same processor', async () => {
    const { devices, config, services } = await bench(['works']);
    expect(await devices.check('webgpu')).toMatchObject({
      id: 'webgpu',
      state: 'works',
      check: { worst: 1e-6, cpuNodes: { Loop: 1 } },
    });
    expect(await stateOf(new Devices(services.engine, config), 'webgpu')).toMatchObject({ state: 'works' });
    const stored = config.settings['device-checks'] as Record<string, { of: string }>;
    config.set('device-checks', {
      webgpu: { ...stored.webgpu, of: stored.webgpu.of.replace('stand-in', 'another card') },
    });
    expect(await stateOf(devices, 'webgpu')).toMatchObject({ state: 'unchecked', check: null });
    config.set('device-checks', 'what no version ever wrote');
    expect(await stateOf(devices, 'webgpu')).toMatchObject({ state: 'unchecked' });
  });

  it('rejects a self-test on an unusable device, and returns every row of a usable one', async () => {
    const { services } = await bench(['proves']);
    await expect(selfTest(services, 'directml', {})).rejects.toMatchObject({
      kind: 'unsupported',
      where: 'device',
    });
    const shares: number[] = [];
    const rows = await selfTest(services, 'cpu', { report: ({ done, total }) => shares.push(done / total) });
    expect(rows).toMatchObject([
      { id: 'kernel/one', ok: true },
      { id: 'kernel/two', ok: false },
    ]);
    expect(shares).toEqual([0.5, 1]);
  });

  it('reports a driver crash as the reason, and continues', async () => {
    const { api } = await bench(['fragile']);
    const checked = await api.system.checkDevice({ id: 'webgpu' });
    expect(checked).toMatchObject({
      state: 'failed',
      error: { kind: 'device-failed', message: expect.stringMatching(/ended (by SIGKILL|with code)/) },
    });
    expect((await api.system.devices({})).find(({ id }) => id === 'webgpu')).toMatchObject({
      state: 'failed',
    });
  });

  it('gives up on a driver that hangs', async () => {
    const { devices } = await bench(['hangs'], 300);
    expect(await devices.check('webgpu')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('did not answer within 0.3 s') },
    });
  });
});

describe('the device of a run', () => {
  it('is checked before its first use, and rejected with the reason if the check fails', async () => {
    const { api, services } = await bench(['fragile']);
    await expect(api.runs.launch({ spec: smallSpec({ device: 'webgpu' }) })).rejects.toMatchObject({
      kind: 'unsupported',
      where: 'device',
      message: expect.stringMatching(/WebGPU cannot be used: .*ended/),
    });
    expect(await services.store.runs.list(false)).toEqual([]);
    await expect(api.runs.launch({ spec: smallSpec({ device: 'coreml' }) })).rejects.toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining("no device 'coreml'"),
    });
    await expect(api.runs.launch({ spec: { ...smallSpec(), device: 'abacus' } })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'device',
    });
  });

  it('is used if the check passes', async () => {
    const { api } = await bench(['works']);
    const { runId } = await api.runs.launch({ spec: smallSpec({ device: 'webgpu' }) });
    expect(await api.runs.get({ id: runId })).toMatchObject({ spec: { device: 'webgpu' } });
  });
});
