import type { DeviceInfo } from '../../preload/contract/system.ts';
import { plainServices } from '../open.ts';
import { columns, type Command } from './command.ts';

const size = (bytes: number | null): string => (bytes === null ? '' : `${(bytes / 2 ** 30).toFixed(1)} GiB`);
const shown = ({ id, title, name, memoryBytes, state, error, check }: DeviceInfo): string[] =>
  [id, name ?? title, size(memoryBytes), state, error?.message ?? (check?.worst == null ? '' : `differs from the CPU by at most ${check.worst.toPrecision(2)}`)];

export const devicesCommand: Command = {
  name: 'devices', usage: '[--check]', summary: 'List the devices that runs can use; --check trains a small model on each and compares it with the CPU.',
  positionals: { least: 0, most: 0 },
  options: { check: { type: 'boolean' } },
  async run({ values, say }) {
    const services = plainServices();
    try {
      const found = await services.devices.list();
      const value: DeviceInfo[] = [];
      for (const device of found) {
        if (values.check === true) say(`checking ${device.id}`);
        value.push(values.check === true ? await services.devices.check(device.id) : device);
      }
      return { value, text: columns([['id', 'name', 'memory', 'state', ''], ...value.map(shown)]) };
    } finally {
      await services.close();
    }
  },
};
