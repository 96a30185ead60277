import { isIP, isIPv4 } from 'node:net';

export type PersonalKind = 'email' | 'phone' | 'iban' | 'card' | 'ip';

/** One place of a text that looks like personal data; UTF-16 positions, `end` excluded. */
export interface PersonalMatch {
  readonly kind: PersonalKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Pattern {
  readonly kind: PersonalKind;
  readonly find: RegExp;
  /** A character that every match has, if there is one. */
  readonly sign?: string;
  /** True if a match is what it looks like: checksums, ranges, lengths. `before` is the text before it. */
  holds(text: string, before: string): boolean;
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Luhn's checksum (ISO/IEC 7812-1). */
export const luhn = (digits: string): boolean => {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
};

/** Length of an IBAN by country (ISO 13616 registry). */
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 ' +
    'SC31 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Checksum of an IBAN: its rearranged digits are 1 modulo 97 (ISO 13616). */
export const ibanHolds = (text: string): boolean => {
  const iban = text.replaceAll(' ', '');
  if (ibanLengths[iban.slice(0, 2)] !== iban.length) return false;
  let rest = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
};

/** First digits of the card networks, with the lengths of their numbers. */
const CARD =
  /^(?:4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6\d{15})$/;

/** Addresses that name no machine of the internet: loopback, unspecified, private, documentation, broadcast. */
const localAddress =
  /^(?:0|10|127|255|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|192\.0\.2|198\.51\.100|203\.0\.113)\./;

const PHONE_WORD =
  /(?:tel|phone|mobile|cell|call|fax|telefon|handy|mobil|móvil|tél)[a-zé]*\s*(?:no|number)?[.:]*\s*$/i;

/** `+49 30 901820`; `(212) 555-0147`; `212-555-0147`: the last two as North America writes them. */
const internationalOrSpelled = new RegExp(
  String.raw`(?<![\w.+-])(?:${[
    String.raw`\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,5}`,
    String.raw`\([2-9]\d\d\) ?[2-9]\d\d[ .-]\d{4}`,
    String.raw`[2-9]\d\d([.-])[2-9]\d\d\1\d{4}`,
  ].join('|')})(?![\w-]|\.\d)`,
  'g',
);

/** Patterns in the order of precedence: a place that matched one is not matched by a later one. */
const patterns: readonly Pattern[] = [
  {
    kind: 'email',
    sign: '@',
    find: /(?<![\w.+-])[\w%+-]{1,64}(?:\.[\w%+-]{1,64}){0,8}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,8}[a-z]{2,24}(?![\w-])/gi,
    holds: (text) => !/@(?:\d+\.)+\d+$/.test(text),
  },
  {
    kind: 'iban',
    find: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
    holds: ibanHolds,
  },
  {
    kind: 'card',
    find: /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-]|[.,]\d)/g,
    holds: (text) => CARD.test(digitsOf(text)) && luhn(digitsOf(text)) && !/^(\d)\1+$/.test(digitsOf(text)),
  },
  {
    kind: 'ip',
    find: /(?<![\w.:-])(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4})(?![\w:]|\.\d)/gi,
    holds: (text, before) =>
      isIPv4(text)
        ? !localAddress.test(text) && !/(?:version|release|\bv)\s*\.?\s*$/i.test(before)
        : isIP(text) === 6 && text.split(':').filter((group) => group !== '').length >= 4,
  },
  {
    kind: 'phone',
    find: internationalOrSpelled,
    holds: (text) =>
      digitsOf(text).length >= 8 + Number(!text.startsWith('+')) && digitsOf(text).length <= 15,
  },
  {
    kind: 'phone',
    find: /(?<![\w.+-])0?\d{2,5}(?:[ /-]?\d{2,5}){1,4}(?![\w-]|\.\d)/g,
    holds: (text, before) =>
      PHONE_WORD.test(before) && digitsOf(text).length >= 7 && digitsOf(text).length <= 14,
  },
];

/** Characters before a match that its pattern may read. */
const CONTEXT = 24;

/**
 * Places that look like e-mail addresses, phone numbers, IBANs (checksum), card numbers (Luhn) or public IP
 * addresses, in the order of the text. Patterns, not knowledge: a name or a street is not found.
 */
export const personalData = (text: string): PersonalMatch[] => {
  const found: PersonalMatch[] = [];
  if (!/[\d@]/.test(text) && !text.includes('::')) return found;
  for (const { kind, find, holds, sign } of patterns) {
    if (sign !== undefined && !text.includes(sign)) continue;
    for (const match of text.matchAll(find)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (found.some((other) => start < other.end && other.start < end)) continue;
      if (holds(match[0], text.slice(Math.max(0, start - CONTEXT), start)))
        found.push({ kind, start, end, text: match[0] });
    }
  }
  return found.sort((a, b) => a.start - b.start);
};

export interface PersonalRow {
  readonly id: string;
  readonly matches: readonly PersonalMatch[];
}

/** Rows with personal data. */
export const rowsWithPersonalData = (
  rows: Iterable<{ readonly id: string; readonly text: string }>,
): PersonalRow[] => {
  const found: PersonalRow[] = [];
  for (const { id, text } of rows) {
    const matches = personalData(text);
    if (matches.length > 0) found.push({ id, matches });
  }
  return found;
};
