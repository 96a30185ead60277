import { DeviceId, deviceIds } from '../../engine/schema/device.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { DeviceInfo } from '../../preload/contract/system.ts';
import { plainServices } from '../headless/open.ts';
import { columns, text, type Command } from './command.ts';
import { throttled } from './progress.ts';

const size = (bytes: number | null): string => (bytes === null ? '' : `${(bytes / 2 ** 30).toFixed(1)} GiB`);
const shown = ({ id, title, name, memoryBytes, state, error, check }: DeviceInfo): string[] => [
  id,
  name ?? title,
  size(memoryBytes),
  state,
  error?.message ??
    (check?.worst == null ? '' : `differs from the CPU by at most ${check.worst.toPrecision(2)}`),
];

export const devicesCommand: Command = {
  name: 'devices',
  usage: '[--check] [--install cuda --from WHEEL]',
  summary:
    'List the devices that runs can use; --check trains a small model on each and compares it with the ' +
    'CPU; --install adds a provider library.',
  example: '--check',
  positionals: { least: 0, most: 0 },
  options: { check: { type: 'boolean' }, install: { type: 'string' }, from: { type: 'string' } },
  async run({ values, log }) {
    const services = plainServices();
    try {
      if (values.install !== undefined) {
        const id = DeviceId.safeParse(values.install);
        if (!id.success)
          throw new WhetstoneError(
            'invalid-input',
            `There is no kind of device '${String(values.install)}'.`,
            { where: '--install', hint: `There are: ${deviceIds.join(', ')}.` },
          );
        const progress = throttled(log);
        await services.devices.install(id.data, text(values, 'from'), {
          report: (phase, done, total) =>
            progress(`${phase}: ${total > 0 ? Math.floor((100 * done) / total) : 0} %`),
        });
      }
      const found = await services.devices.list();
      const value: DeviceInfo[] = [];
      for (const device of found) {
        if (values.check === true) log(`checking ${device.id}`);
        value.push(values.check === true ? await services.devices.check(device.id) : device);
      }
      return { value, text: columns([['id', 'name', 'memory', 'state', ''], ...value.map(shown)]) };
    } finally {
      await services.close();
    }
  },
};
