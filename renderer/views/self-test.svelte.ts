import { WhetstoneError } from '../../engine/common/errors.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import type { DeviceInfo } from '../../preload/contract/system.ts';
import { session } from '../lib/session.svelte.ts';

/**
 * State of closed forms computed on a device: rows arrive as they finish; closing the feed stops the work.
 */
export class SelfTestState {
  devices = $state.raw<readonly DeviceInfo[]>([]);
  device = $state<DeviceInfo['id']>('cpu');
  /** The device that the rows were computed on. */
  of = $state<DeviceInfo['id'] | null>(null);
  rows = $state.raw<readonly SelfTestRow[]>([]);
  total = $state<number | null>(null);
  running = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  readonly failed = $derived(this.rows.filter(({ ok }) => !ok).length);
  #release: () => void = () => undefined;

  load = async (): Promise<void> => {
    this.devices = ((await session.attempt(() => session.client.system.devices({}))) ?? []).filter(
      ({ state }) => state !== 'failed' && state !== 'missing',
    );
  };

  start = (): void => {
    this.stop();
    this.rows = [];
    this.total = null;
    this.error = null;
    this.running = true;
    this.of = this.device;
    this.#release = session.client.system.selfTest(
      { device: this.device },
      ({ rows, total }) => {
        this.rows = [...this.rows, ...rows];
        this.total = total;
      },
      (error) => {
        this.running = false;
        if (error !== undefined) this.error = WhetstoneError.from(error);
      },
    );
  };

  stop = (): void => {
    this.#release();
    this.#release = () => undefined;
    this.running = false;
  };
}
