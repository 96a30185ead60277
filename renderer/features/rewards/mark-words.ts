import type { RewardInspection } from '../../../engine/schema/evaluation.ts';
import type { PairMark } from '../../../engine/schema/inspected-pair.ts';
import { number, plural, rate } from '../../lib/format.ts';

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
    case 'positions':
      return mark.positions.length === 1
        ? `Pair ${mark.positions[0] + 1}`
        : plural(mark.positions.length, 'chosen pair');
  }
}
