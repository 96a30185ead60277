/**
 * Prints at most one line every two seconds, and always the first line of a new topic (the text before the
 * colon).
 */
export function throttled(log: (text: string) => void): (text: string) => void {
  let topic = '';
  let last = -Infinity;
  return (text) => {
    const about = text.slice(0, text.indexOf(':'));
    const now = performance.now();
    if (about === topic && now - last < 2000) return;
    topic = about;
    last = now;
    log(text);
  };
}
