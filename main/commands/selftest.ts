import { DeviceId, deviceIds } from '../../engine/schema/device.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import { plainServices } from '../headless/open.ts';
import { selfTest } from '../use-cases/self-test.ts';
import { columns, onInterrupt, type Command } from './command.ts';

const numbers = (values: readonly number[]): string =>
  values.map((value) => String(Number(value.toPrecision(6)))).join(' ');
const line = ({ id, owner, expected, got, tolerance, ok, error }: SelfTestRow): string[] => [
  ok ? 'holds' : 'FAILS',
  id,
  owner,
  numbers(expected),
  error ? error.message : numbers(got),
  `± ${tolerance}`,
];

export const selfTestCommand: Command = {
  name: 'selftest',
  usage: '[--device ID]',
  summary: 'Compute every closed form on a device and compare; exits with 1 if one differs.',
  example: '--device cpu',
  positionals: { least: 0, most: 0 },
  options: { device: { type: 'string' } },
  async run({ values, log }) {
    const device = DeviceId.safeParse(values.device ?? 'cpu');
    if (!device.success)
      throw new WhetstoneError('invalid-input', `There is no kind of device '${String(values.device)}'.`, {
        where: '--device',
        hint: `There are: ${deviceIds.join(', ')}.`,
      });
    const services = plainServices();
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    try {
      const value = await selfTest(services, device.data, {
        signal: stop.signal,
        report: ({ rows, done, total }) =>
          rows.forEach(({ id, ok }) => log(`${done} of ${total}: ${id} ${ok ? 'holds' : 'FAILS'}`)),
      });
      const failed = value.filter(({ ok }) => !ok).length;
      const text = columns([['', 'id', 'owner', 'expected', 'got', 'tolerance'], ...value.map(line)]);
      return {
        value,
        text: `${text}\n${value.length - failed} of ${value.length} hold on ${device.data}.`,
        exit: failed > 0 ? 1 : 0,
      };
    } finally {
      release();
      await services.close();
    }
  },
};
