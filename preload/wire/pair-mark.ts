/** A mark of an inspection as text, for addresses and the command line: `margins:3`, `slice:source:wiki`. */
import { WhetstoneError } from '../../engine/common/errors.ts';
import { readNumber } from '../../engine/common/number-text.ts';
import type { PairMark, RegionMark } from '../../engine/schema/inspected-pair.ts';

const bars = ['scores', 'margins', 'reliability'] as const;
const isBar = (kind: string): kind is (typeof bars)[number] => bars.some((each) => each === kind);

const boundsText = ([low, high]: RegionMark['x']): string => `${low ?? ''}..${high ?? ''}`;

/** The text of a mark; parts of a slice are escaped as in addresses. */
export function markText(mark: PairMark): string {
  switch (mark.kind) {
    case 'slice':
      return `slice:${encodeURIComponent(mark.by)}:${encodeURIComponent(mark.name)}`;
    case 'positions':
      return `positions:${mark.positions.join(',')}`;
    case 'region':
      return `region:${boundsText(mark.x)}:${boundsText(mark.y)}`;
    default:
      return `${mark.kind}:${mark.bin}`;
  }
}

const invalid = (text: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `'${text}' is no mark of an inspection.`, {
    where: text,
    hint: 'Use scores:0, margins:0, reliability:0, slice:COLUMN:VALUE, positions:0,1 or region:-1..2:0..',
  });

const wholeFrom = (text: string, digits: string | undefined): number => {
  if (digits === undefined || !/^\d{1,9}$/.test(digits)) throw invalid(text);
  return Number(digits);
};

const decoded = (text: string, part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) throw invalid(text);
    throw error;
  }
};

const boundFrom = (text: string, part: string): number | null => {
  if (part === '') return null;
  const read = readNumber(part, {});
  if (!read.ok) throw invalid(text);
  return read.value;
};
const boundsFrom = (text: string, part: string): RegionMark['x'] => {
  const sides = part.split('..');
  if (sides.length !== 2) throw invalid(text);
  return [boundFrom(text, sides[0]), boundFrom(text, sides[1])];
};

/** Reads the text of a mark. Throws `invalid-input`. */
export function markFrom(text: string): PairMark {
  const [kind, ...rest] = text.split(':');
  if (isBar(kind) && rest.length === 1) return { kind, bin: wholeFrom(text, rest[0]) };
  if (kind === 'positions' && rest.length === 1)
    return { kind, positions: rest[0].split(',').map((digits) => wholeFrom(text, digits)) };
  if (kind === 'region' && rest.length === 2)
    return { kind, x: boundsFrom(text, rest[0]), y: boundsFrom(text, rest[1]) };
  if (kind !== 'slice' || rest.length < 2 || rest[0] === '') throw invalid(text);
  return { kind, by: decoded(text, rest[0]), name: decoded(text, rest.slice(1).join(':')) };
}
