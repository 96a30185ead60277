import { inLight, plainColor } from '../picture.ts';
import type { Colors } from './marks.ts';

/** The colours of the theme that an element is in, each resolved once. */
export function colorsOf(element: Element): Colors {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (variable) => {
    const color = known.get(variable) ?? plainColor(style.getPropertyValue(variable).trim());
    known.set(variable, color);
    return color;
  };
}

/** Calls `make` with the colours of the light theme, in which files are drawn. */
export const inLightColors = <T>(make: (colors: Colors) => T): T => inLight((stage) => make(colorsOf(stage)));
