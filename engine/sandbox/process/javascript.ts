/**
 * JavaScript in QuickJS: an engine of its own in WebAssembly, without host functions. Every task gets a
 * fresh one.
 */
import published from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type CustomizeVariantOptions,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { Data, JsTask, Limits, Outcome, SandboxErrorKind } from '../../schema/sandbox.ts';
import { computedMs } from '../clock.ts';

/** Bytes of the engine's own stack. Much more would overflow the host's first, which breaks the instance. */
const STACK_BYTES = 96 * 1024;
const LOG_CHARS = 4000;
const MESSAGE_CHARS = 500;

/**
 * The language available to a task, without clock and randomness, so that the same input gives the same
 * value again.
 */
const intrinsics = {
  BaseObjects: true,
  Date: false,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
  Promise: true,
  BigInt: true,
};

/** Runs first, inside. Later code cannot replace the functions it has saved. */
const prelude = `(() => {
  const { parse, stringify } = JSON, { apply } = Reflect, text = String, slice = text.prototype.slice, join = Array.prototype.join;
  const lines = [];
  let room = ${LOG_CHARS};
  const shown = (value) => typeof value === 'string' ? value : typeof value === 'object' && value !== null ? stringify(value) : text(value);
  const log = (...values) => {
    let line = '';
    for (let i = 0; i < values.length; i++) line += (i ? ' ' : '') + shown(values[i]);
    if (room <= 0) return;
    line = apply(slice, line, [0, room]);
    room -= line.length + 1;
    lines[lines.length] = line;
  };
  globalThis.console = Object.freeze({ log, info: log, warn: log, error: log });
  Math.random = () => { throw new Error('There is no chance here: the same answer must get the same value again.'); };
  return {
    call: (f, json) => apply(f, undefined, parse(json)),
    json: (value) => stringify(value),
    log: () => apply(join, lines, ['\\n']),
    describe: (error) => {
      try {
        const isError = typeof error === 'object' && error !== null && 'message' in error;
        const message = isError ? text(error.name) + ': ' + text(error.message) : 'threw ' + shown(error);
        return apply(slice, message, [0, ${MESSAGE_CHARS}]);
      } catch { return 'an error that cannot be read'; }
    },
  };
})()`;

export interface JavaScript {
  /** `broken`: the instance must not be used again. */
  run(task: JsTask, limits: Limits): { readonly outcome: Outcome; readonly broken: boolean };
}

class Failure extends Error {
  readonly kind: SandboxErrorKind;
  constructor(kind: SandboxErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

// the package's types describe its CommonJS file, where the variant is one level deeper than in the module
// that is loaded
const variant = published as unknown as QuickJSSyncVariant;
// Node's types leave this part of the language to the DOM's
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => unknown };
};

const PAGE = 65_536;
/** Memory pages that the engine is compiled with. */
const LEAST_PAGES = 256;
/** Pages of its stack and tables, besides allocations of tasks. */
const OWN_PAGES = 32;

/**
 * Compiles the engine. `memoryBytes` bounds the memory of the instance: the engine's own limit counts
 * allocations, but not how large they are in this build.
 */
export const openJavaScript = async (wasmBinary: ArrayBuffer, memoryBytes: number): Promise<JavaScript> => {
  const wasmMemory = new WebAssembly.Memory({
    initial: LEAST_PAGES,
    maximum: Math.max(LEAST_PAGES, OWN_PAGES + Math.ceil(memoryBytes / PAGE)),
  }) as CustomizeVariantOptions['wasmMemory'];
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmBinary, wasmMemory }));
  return {
    run: (task, limits) => {
      const began = computedMs();
      let outcome: Outcome | undefined;
      try {
        using runtime = quickjs.newRuntime();
        outcome = new TaskRun(runtime, limits).outcome(task);
        return { outcome, broken: false };
      } catch (error) {
        // the instance's state is unsound now; a result from before stays valid
        return { outcome: outcome ?? broken(error, computedMs() - began), broken: true };
      }
    },
  };
};

/** True if the host's stack overflowed inside the instance, or the instance aborted. */
const broken = (error: unknown, ms: number): Outcome => {
  const deep = error instanceof RangeError;
  return {
    ok: false,
    error: {
      kind: deep ? 'stack' : 'crashed',
      message: deep
        ? 'The calls nest too deeply.'
        : `The engine gave up: ${String(error).slice(0, MESSAGE_CHARS)}`,
    },
    ms,
    log: '',
  };
};

class TaskRun {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #limits: Limits;
  #began = computedMs();
  /** Every handle, released together at the end: an error may occur anywhere. */
  readonly #handles: QuickJSHandle[] = [];
  #late = false;

  constructor(runtime: QuickJSRuntime, limits: Limits) {
    this.#runtime = runtime;
    this.#limits = limits;
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(STACK_BYTES);
    this.#context = runtime.newContext({ intrinsics });
  }

  outcome(task: JsTask): Outcome {
    const own = this.#held(this.#context.unwrapResult(this.#context.evalCode(prelude)));
    // the task's own time starts here
    this.#began = computedMs();
    this.#runtime.setInterruptHandler(
      () => (this.#late ||= computedMs() - this.#began > this.#limits.timeMs),
    );
    let made:
      | { readonly ok: true; readonly value: Data }
      | { readonly ok: false; readonly error: { readonly kind: SandboxErrorKind; readonly message: string } };
    try {
      made = { ok: true, value: this.#value(own, task) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      made = { ok: false, error: { kind: error.kind, message: error.message } };
    }
    const log = this.#late ? '' : this.#logOf(own);
    const ms = computedMs() - this.#began;
    for (const handle of this.#handles) if (handle.alive) handle.dispose();
    this.#context.dispose();
    return { ...made, ms, log };
  }

  #held<H extends QuickJSHandle>(handle: H): H {
    this.#handles.push(handle);
    return handle;
  }

  #value(own: QuickJSHandle, { code, args }: JsTask): Data {
    const context = this.#context;
    const given = this.#called(
      own,
      'call',
      this.#function(own, code),
      this.#held(context.newString(JSON.stringify(args))),
    );
    const value = this.#settled(own, given);
    const type = context.typeof(value);
    if (type === 'number') return context.getNumber(value);
    if (type === 'boolean') return context.dump(value) as boolean;
    if (type === 'string') return this.#text(value);
    if (type !== 'object')
      throw new Failure(
        'not-data',
        type === 'undefined' ? 'It returned nothing (undefined).' : `It returned a ${type}.`,
      );
    const text = this.#called(own, 'json', value);
    if (context.typeof(text) !== 'string')
      throw new Failure('not-data', 'It returned an object that has no JSON.');
    return JSON.parse(this.#text(text)) as Data;
  }

  /** The function of a source text: its last expression, or the text in parentheses. */
  #function(own: QuickJSHandle, code: string): QuickJSHandle {
    const asProgram = this.#evaluated(code);
    if (asProgram.value) return asProgram.value;
    const asExpression = this.#late ? undefined : this.#evaluated(`(${code.trim().replace(/;+$/, '')}\n)`);
    if (asExpression?.value) return asExpression.value;
    // a program of only a declaration has no value; for an invalid program, its own error is the clearest
    if (asProgram.error) this.#fail(own, asProgram.error);
    throw new Failure('syntax', 'The code is not a function. Write (row) => …, or end with the name of one.');
  }

  #evaluated(code: string): { readonly value?: QuickJSHandle; readonly error?: QuickJSHandle } {
    const result = this.#context.evalCode(code, 'snippet.js');
    if (result.error) return { error: this.#held(result.error) };
    const value = this.#held(result.value);
    return this.#context.typeof(value) === 'function' ? { value } : {};
  }

  /** The result of a promise; any other value unchanged. */
  #settled(own: QuickJSHandle, value: QuickJSHandle): QuickJSHandle {
    if (this.#context.typeof(value) !== 'object') return value;
    const done = this.#runtime.executePendingJobs();
    if (done.error) this.#fail(own, this.#held(done.error));
    const state = this.#context.getPromiseState(value);
    if (state.type === 'fulfilled') return state.notAPromise ? value : this.#held(state.value);
    if (state.type === 'rejected') return this.#fail(own, this.#held(state.error));
    throw new Failure('not-data', 'It returned a promise that never settles.');
  }

  #called(own: QuickJSHandle, name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    const result = this.#context.callFunction(
      this.#held(this.#context.getProp(own, name)),
      this.#context.undefined,
      ...args,
    );
    return result.error ? this.#fail(own, this.#held(result.error)) : this.#held(result.value);
  }

  /** A string's own length is a property that code cannot change. */
  #text(value: QuickJSHandle): string {
    const length = this.#context.getNumber(this.#held(this.#context.getProp(value, 'length')));
    if (length > this.#limits.resultChars)
      throw new Failure(
        'too-large',
        `The result has ${length} characters; ${this.#limits.resultChars} are allowed.`,
      );
    return this.#context.getString(value);
  }

  #fail(own: QuickJSHandle, error: QuickJSHandle): never {
    if (this.#late) throw new Failure('timeout', `It did not end within ${this.#limits.timeMs} ms.`);
    const described = this.#context.callFunction(
      this.#held(this.#context.getProp(own, 'describe')),
      this.#context.undefined,
      error,
    );
    const message = described.error
      ? 'an error that cannot be read'
      : this.#context.getString(this.#held(described.value));
    if (described.error) this.#held(described.error);
    throw new Failure(kindOf(message), message);
  }

  #logOf(own: QuickJSHandle): string {
    const result = this.#context.callFunction(
      this.#held(this.#context.getProp(own, 'log')),
      this.#context.undefined,
    );
    if (!result.error) return this.#context.getString(this.#held(result.value));
    this.#held(result.error);
    return '';
  }
}

const kindOf = (message: string): SandboxErrorKind =>
  message === 'InternalError: out of memory'
    ? 'memory'
    : message.startsWith('RangeError: Maximum call stack size')
      ? 'stack'
      : message.startsWith('SyntaxError')
        ? 'syntax'
        : 'threw';
