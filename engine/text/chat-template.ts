/** Chat templates: Jinja, as in model folders and as rendered by Transformers. */
import { WhetstoneError } from '../common/errors.ts';
import { bind, countOr, textOr } from './jinja/arguments.ts';
import { render, valueOf } from './jinja/render.ts';
import { read, type Node } from './jinja/syntax.ts';
import {
  Attributes,
  Callable,
  fail,
  isDict,
  str,
  TemplateStop,
  unsupported,
  JinjaIterable,
  type Value,
} from './jinja/values.ts';

export interface Message {
  readonly role: string;
  readonly content: string;
}

export interface ChatTemplate {
  /**
   * The conversation as one text; with `reply`, up to the start of the assistant's next answer. Throws
   * `invalid-input` with the template's own message, `unsupported` for features not rendered here.
   */
  render(messages: readonly Message[], options: { readonly reply: boolean }): string;
}

/** The date that templates can print: fixed, so that a prompt is the same text on every day. */
const day: Readonly<Record<string, string>> = {
  '%d': '01',
  '%-d': '1',
  '%b': 'Jan',
  '%B': 'January',
  '%m': '01',
  '%-m': '1',
  '%Y': '2025',
  '%y': '25',
  '%H': '00',
  '%I': '12',
  '%p': 'AM',
  '%M': '00',
  '%S': '00',
  '%a': 'Wed',
  '%A': 'Wednesday',
  '%j': '001',
  '%F': '2025-01-01',
  '%T': '00:00:00',
  '%%': '%',
};
const onThatDay = (format: string): string =>
  format.replace(/%-?./g, (part) => day[part] ?? unsupported(`the part ${part} of a date`));

/** Python's `range` for templates. */
const range = (from: number, to: number, step: number): number[] => {
  if (step === 0) fail('the step of a range is zero');
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => from + i * step);
};

/** Names that every template has. */
const globals = (complain: (message: string) => never): Record<string, Value> => {
  const given = [
    new Callable('range', (args) => {
      const { a, b, step } = bind('range', args, ['a', 'b', 'step']);
      const first = countOr(a, 0);
      return new JinjaIterable(
        'range',
        b === undefined ? range(0, first, 1) : range(first, countOr(b, 0), countOr(step, 1)),
      );
    }),
    new Callable('namespace', ({ positional, named }) => {
      const [from = null] = positional;
      if (from !== null && !isDict(from))
        return unsupported('a namespace made of something else than a dictionary');
      return new Attributes('namespace', new Map([...(from ?? []), ...named]));
    }),
    new Callable('dict', ({ positional, named }) => {
      const [from = null] = positional;
      if (from !== null && !isDict(from)) return unsupported('a dictionary made of something else than one');
      return new Map([...(from ?? []), ...named]);
    }),
    new Callable('strftime_now', (args) =>
      onThatDay(textOr(bind('strftime_now', args, ['format']).format, '')),
    ),
    new Callable('raise_exception', (args) =>
      complain(str(bind('raise_exception', args, ['message']).message ?? null)),
    ),
    ...['cycler', 'joiner', 'lipsum'].map(
      (name) => new Callable(name, () => unsupported(`the function ${name}`)),
    ),
  ];
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  return { ...Object.fromEntries(given.map((one) => [one.name, one])), ...constants };
};

const parsed = (source: string, where: string): Node => {
  try {
    return read(source);
  } catch (cause) {
    throw new WhetstoneError(
      'unsupported',
      `The chat template cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      { where, cause },
    );
  }
};

/**
 * Compiles a template; `specials` are the special-token spellings that it may name (`bos_token`,
 * `eos_token`, …). Throws `unsupported` if it cannot be parsed.
 */
export const chatTemplate = (
  source: string,
  specials: Readonly<Record<string, unknown>>,
  where: string,
): ChatTemplate => {
  const template = parsed(source, where);
  const complain = (message: string): never => {
    throw new WhetstoneError('invalid-input', `The chat template refuses the conversation: ${message}`, {
      where,
    });
  };
  const names = {
    ...globals(complain),
    ...Object.fromEntries(Object.entries(specials).map(([name, value]) => [name, valueOf(value)])),
    tools: null,
    documents: null,
  };
  return {
    render: (messages, { reply }) => {
      try {
        return render(template, { ...names, messages: valueOf(messages), add_generation_prompt: reply });
      } catch (cause) {
        if (!(cause instanceof TemplateStop)) throw cause;
        if (cause.reason === 'failed')
          throw new WhetstoneError('invalid-input', `The chat template failed: ${cause.message}.`, {
            where,
            cause,
          });
        throw new WhetstoneError('unsupported', `The chat template cannot be rendered: ${cause.message}.`, {
          where,
          cause,
          hint: 'Use plain prompts, or replace this part of the template.',
        });
      }
    },
  };
};
