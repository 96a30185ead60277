/** Chat templates: Jinja, as model folders carry them. */
import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { WhetstoneError } from '../schema/errors.ts';

export interface Message { readonly role: string; readonly content: string }

export interface ChatTemplate {
  /** The conversation as one text; with `reply`, up to where the assistant's next answer begins. Throws `invalid-input` with the template's own complaint. */
  render(messages: readonly Message[], options: { readonly reply: boolean }): string;
}

/** The day that a template may print: fixed, so that the same prompt is the same text every day. */
const day: Readonly<Record<string, string>> = { '%d': '01', '%b': 'Jan', '%B': 'January', '%m': '01', '%Y': '2025', '%y': '25', '%H': '00', '%M': '00', '%S': '00', '%a': 'Wed', '%A': 'Wednesday' };
const onThatDay = (format: unknown): string => String(format).replace(/%[a-zA-Z]/g, (part) => day[part] ?? part);

/** Python's `range`, which templates count with. */
const range = (from: number, to?: number, step = 1): number[] => {
  const [start, end] = to === undefined ? [0, from] : [from, to];
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => start + i * step);
};

/** A template of this source; `specials` are the spellings that it may name (`bos_token`, `eos_token`, …). Throws `unsupported` where it cannot be read. */
export const chatTemplate = (source: string, specials: Readonly<Record<string, unknown>>, where: string): ChatTemplate => {
  let template: Template;
  try {
    template = new Template(source);
  } catch (cause) {
    throw new WhetstoneError('unsupported', `The chat template cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { where, cause });
  }
  // The library's own `render` would print today's date.
  const names = { ...specials, true: true, True: true, false: false, False: false, none: null, None: null, range, strftime_now: onThatDay, tools: null, documents: null };
  const complain = (message: unknown): never => { throw new WhetstoneError('invalid-input', `The chat template refuses the conversation: ${String(message)}`, { where }); };
  return {
    render: (messages, { reply }) => {
      try {
        const environment = new Environment();
        for (const [name, value] of Object.entries({ ...names, messages, add_generation_prompt: reply, raise_exception: complain })) environment.set(name, value);
        return String(new Interpreter(environment).run(template.parsed).value);
      } catch (cause) {
        if (cause instanceof WhetstoneError) throw cause;
        throw new WhetstoneError('invalid-input', `The chat template failed: ${cause instanceof Error ? cause.message : String(cause)}`, { where, cause });
      }
    },
  };
};
