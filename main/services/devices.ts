import * as z from 'zod';
import type { DeviceFacts, DeviceId } from '../../engine/schema/device.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { DeviceCheck, type DeviceInfo } from '../../preload/contract/system.ts';
import type { Config } from './config.ts';
import type { EngineHost } from '../engine-host/host.ts';
import { installLibrary, libraryFor, type Installing } from './provider-library.ts';

/** Time limit of a device check, in milliseconds, after which its driver counts as hung. */
const checkMs = 180_000;
const setting = 'device-checks';

/**
 * Check results by device, each for one version of the runtime on one processor, since either may change
 * them.
 */
const Verdicts = z.record(z.string(), z.object({ of: z.string(), check: DeviceCheck }));

const signature = ({ runtimeVersion, name, bundled }: DeviceFacts): string =>
  [runtimeVersion, name ?? '', bundled].join(' | ');

/**
 * The devices of this machine, their check results, and which of them a run may use. Results are stored in
 * the user's settings.
 */
export class Devices {
  readonly #engine: EngineHost;
  readonly #config: Config;
  readonly #checkMs: number;
  readonly #checking = new Map<DeviceId, Promise<DeviceInfo>>();

  constructor(engine: EngineHost, config: Config, limitMs = checkMs) {
    this.#engine = engine;
    this.#config = config;
    this.#checkMs = limitMs;
  }

  async list(): Promise<DeviceInfo[]> {
    return (await this.#facts()).map((facts) => infoOf(facts, this.#known(facts)));
  }

  /** Checks a device in a process of its own; a crash or a hang of its driver is reported as the reason. */
  check(id: DeviceId): Promise<DeviceInfo> {
    const going = this.#checking.get(id) ?? this.#check(id).finally(() => this.#checking.delete(id));
    this.#checking.set(id, going);
    return going;
  }

  /** Installs a device's provider library next to the runtime, then checks the device. */
  async install(
    id: DeviceId,
    source: string,
    { report, signal }: Pick<Installing, 'report' | 'signal'>,
  ): Promise<DeviceInfo> {
    const facts = (await this.#facts()).find((each) => each.id === id);
    if (!facts) throw new WhetstoneError('not-found', `This system offers no device '${id}'.`, { where: id });
    await installLibrary({
      source,
      library: libraryFor(facts.runtimeVersion, id),
      folder: facts.libraryFolder,
      report,
      signal,
    });
    return await this.check(id);
  }

  /**
   * Throws `unsupported` with the reason if a device cannot be used; an unchecked one is checked now. The
   * CPU needs no check.
   */
  async require(id: DeviceId): Promise<void> {
    if (id === 'cpu') return;
    const facts = (await this.#facts()).find((each) => each.id === id);
    if (!facts)
      throw new WhetstoneError('unsupported', `This system offers no device '${id}'.`, {
        where: 'device',
        hint: 'Choose another device; the settings list those that there are.',
      });
    const known = infoOf(facts, this.#known(facts));
    const { state, title, error } =
      known.state === 'unchecked' || known.state === 'missing' ? await this.check(id) : known;
    if (state !== 'works')
      throw new WhetstoneError(
        'unsupported',
        `${title} cannot be used: ${error?.message ?? 'it did not pass its check.'}`,
        { where: 'device', hint: error?.hint ?? 'Choose another device.' },
      );
  }

  #facts(): Promise<DeviceFacts[]> {
    return this.#engine.call('devices', {});
  }

  async #check(id: DeviceId): Promise<DeviceInfo> {
    const facts = (await this.#facts()).find((each) => each.id === id);
    if (!facts) throw new WhetstoneError('not-found', `This system offers no device '${id}'.`, { where: id });
    const check = await this.#engine.ask('checkDevice', { id }, this.#checkMs).then(
      ({ worst, seconds, cpuNodes }): DeviceCheck => ({
        worst,
        seconds,
        cpuNodes: { ...cpuNodes },
        error: null,
        at: Date.now(),
      }),
      (reason: unknown): DeviceCheck => ({
        worst: null,
        seconds: null,
        cpuNodes: {},
        error: WhetstoneError.from(reason).facts,
        at: Date.now(),
      }),
    );
    this.#config.set(setting, { ...this.#verdicts(), [id]: { of: signature(facts), check } });
    return infoOf(facts, check);
  }

  #known(facts: DeviceFacts): DeviceCheck | null {
    const found = this.#verdicts()[facts.id];
    return found?.of === signature(facts) ? found.check : null;
  }

  #verdicts(): z.infer<typeof Verdicts> {
    const parsed = Verdicts.safeParse(this.#config.settings[setting]);
    // invalid results of another version are discarded and checked again
    return parsed.success ? parsed.data : {};
  }
}

const infoOf = (
  { id, title, name, memoryBytes, threads, bundled, error }: DeviceFacts,
  check: DeviceCheck | null,
): DeviceInfo => {
  const fault = error ?? check?.error ?? null;
  const state = fault ? 'failed' : check || id === 'cpu' ? 'works' : bundled ? 'unchecked' : 'missing';
  return { id, title, name, memoryBytes, threads, state, error: fault, check };
};
