/** A mark of an inspection as text, for addresses and the command line: `margins:3`, `slice:source:wiki`. */
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { PairMark } from '../../engine/schema/inspected-pair.ts';

const bars = ['scores', 'margins', 'reliability'] as const;
const isBar = (kind: string): kind is (typeof bars)[number] => bars.some((each) => each === kind);

/** The text of a mark; parts of a slice are escaped as in addresses. */
export function markText(mark: PairMark): string {
  switch (mark.kind) {
    case 'slice':
      return `slice:${encodeURIComponent(mark.by)}:${encodeURIComponent(mark.name)}`;
    case 'positions':
      return `positions:${mark.positions.join(',')}`;
    default:
      return `${mark.kind}:${mark.bin}`;
  }
}

const invalid = (text: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `'${text}' is no mark of an inspection.`, {
    where: text,
    hint: 'Use scores:0, margins:0, reliability:0, slice:COLUMN:VALUE or positions:0,1.',
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

/** Reads the text of a mark. Throws `invalid-input`. */
export function markFrom(text: string): PairMark {
  const [kind, ...rest] = text.split(':');
  if (isBar(kind) && rest.length === 1) return { kind, bin: wholeFrom(text, rest[0]) };
  if (kind === 'positions' && rest.length === 1)
    return { kind, positions: rest[0].split(',').map((digits) => wholeFrom(text, digits)) };
  if (kind !== 'slice' || rest.length < 2 || rest[0] === '') throw invalid(text);
  return { kind, by: decoded(text, rest[0]), name: decoded(text, rest.slice(1).join(':')) };
}
