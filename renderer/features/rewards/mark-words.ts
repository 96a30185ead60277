import type { RewardInspection } from '../../../engine/schema/evaluation.ts';
import type { PairMark, RegionMark } from '../../../engine/schema/inspected-pair.ts';
import { number, plural, rate } from '../../lib/format.ts';

const boundsWords = ([low, high]: RegionMark['x']): string =>
  low !== null && high !== null
    ? `${number(low)} to ${number(high)}`
    : low !== null
      ? `from ${number(low)}`
      : high !== null
        ? `to ${number(high)}`
        : 'any';

/** A mark of an inspection in words. */
export function markWords(mark: PairMark, inspection: RewardInspection): string {
  switch (mark.kind) {
    case 'scores':
    case 'margins': {
      const bin = inspection[mark.kind].at(mark.bin);
      const name = mark.kind === 'scores' ? 'Score' : 'Margin';
      return bin ? `${name} ${number(bin.from)} to ${number(bin.to)}` : `${name}, bin ${mark.bin + 1}`;
    }
    case 'reliability': {
      const bin = inspection.reliability.at(mark.bin);
      return bin
        ? `Confidence ${rate(bin.from, 2)} to ${rate(bin.to, 2)}`
        : `Confidence, bin ${mark.bin + 1}`;
    }
    case 'slice':
      return mark.by === 'inspected' ? mark.name : `${mark.by}: ${mark.name}`;
    case 'region':
      return `Region of the map: x ${boundsWords(mark.x)}, y ${boundsWords(mark.y)}`;
    case 'positions':
      return mark.positions.length === 1
        ? `Pair ${mark.positions[0] + 1}`
        : plural(mark.positions.length, 'chosen pair');
  }
}
