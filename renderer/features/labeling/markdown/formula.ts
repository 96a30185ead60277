import { renderToString } from 'katex';

/** Elements and attributes of MathML that a formula may have. */
const elements = new Set(
  (
    'math semantics annotation mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom ' +
    'menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr'
  ).split(' '),
);
const attributes = new Set(
  (
    'mathvariant stretchy fence separator lspace rspace minsize maxsize accent accentunder movablelimits ' +
    'linethickness columnalign columnspacing rowspacing columnlines rowlines displaystyle scriptlevel width ' +
    'height depth voffset notation encoding display largeop symmetric'
  ).split(' '),
);

function copied(from: Element): Element | null {
  if (!elements.has(from.localName)) return null;
  const to = document.createElementNS('http://www.w3.org/1998/Math/MathML', from.localName);
  for (const { name, value } of from.attributes) if (attributes.has(name)) to.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child instanceof Text) to.append(child.data);
    else if (child instanceof Element) to.append(copied(child) ?? '');
  }
  return to;
}

/**
 * MathML of a formula, built from known elements only; null if it is no valid TeX. Macros are bounded, and
 * commands that load or link anything are refused.
 */
export function formula(tex: string, display: boolean): Element | null {
  try {
    const text = renderToString(tex, {
      output: 'mathml',
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxExpand: 200,
      maxSize: 20,
    });
    const math = new DOMParser().parseFromString(text, 'text/html').querySelector('math');
    return math && copied(math);
  } catch (error) {
    if (error instanceof Error && error.name === 'ParseError') return null;
    throw error;
  }
}
