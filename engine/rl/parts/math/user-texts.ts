/**
 * The part of a prompt about its user (earlier comparisons), up to its last separator, and the question behind
 * it. Without a separator all of the prompt is the question.
 */
export const splitUser = (
  prompt: string,
  separator: string,
): { readonly user: string; readonly question: string } => {
  const at = prompt.lastIndexOf(separator);
  const end = at < 0 ? 0 : at + separator.length;
  return { user: prompt.slice(0, end), question: prompt.slice(end) };
};
