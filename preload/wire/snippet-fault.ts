/** An answer on which the code of a reward was tried. */
interface Trial {
  readonly prompt: string;
  readonly completion: string;
  readonly error: { readonly message: string } | null;
}

/** The first answer on which code fails, as an error’s message and hint; `subject` begins the sentence. */
export function snippetFault(
  trials: readonly Trial[],
  subject: string,
): { message: string; hint: string } | null {
  const failed = trials.find(({ error }) => error !== null);
  if (!failed?.error) return null;
  return {
    message: `${subject} fails on an answer: ${failed.error.message}`,
    hint: `The answer is ${shown(failed.completion)}, to ${shown(failed.prompt)}.`,
  };
}

const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
