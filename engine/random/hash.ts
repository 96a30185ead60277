import { hash } from 'node:crypto';

/** The text that identifies a prompt: Unicode NFC, line ends `\n`, no blanks at the ends. */
export const normalisePrompt = (prompt: string): string =>
  prompt.normalize('NFC').replace(/\r\n?/g, '\n').trim();

/**
 * Id of a prompt, the same wherever the prompt appears: the first 128 bits of SHA-256 over its normalised
 * text, in hex.
 */
export const promptIdOf = (prompt: string): string => hash('sha256', normalisePrompt(prompt)).slice(0, 32);

/**
 * A number in [0, 1) that depends only on the texts, uniform over texts (53 bits of SHA-256). It decides
 * splits and sides, so they never depend on the order of rows.
 */
export const hashFraction = (...texts: readonly string[]): number =>
  Number.parseInt(hash('sha256', texts.join('\u0000')).slice(0, 14), 16) / 2 ** 56;
