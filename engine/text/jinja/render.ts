/** Renders a template's syntax tree, statement by statement. */
import { bind } from './arguments.ts';
import { Expressions } from './expressions.ts';
import { filterNamed } from './filters.ts';
import { generationBlock, type Node } from './syntax.ts';
import {
  Attributes,
  Callable,
  fail,
  items,
  List,
  str,
  truth,
  typeName,
  Undefined,
  unsupported,
  type Arguments,
  type Value,
} from './values.ts';
import { Scope } from './scope.ts';

/** How a block ended: at its end, or at a `break` or `continue`. */
type End = 'through' | 'break' | 'continue';

const nodes = (value: unknown): readonly Node[] => (value ?? []) as readonly Node[];
const nameOf = (node: Node): string =>
  node.type === 'Identifier' ? String(node.value) : unsupported('a name that is none');

class Renderer {
  readonly #expressions = new Expressions();

  /** Renders a block to `out`. */
  block(body: readonly Node[], scope: Scope, out: string[]): End {
    for (const node of body) {
      const end = this.#statement(node, scope, out);
      if (end !== 'through') return end;
    }
    return 'through';
  }

  /** The text of a block with its own scope. */
  #text(body: readonly Node[], scope: Scope): string {
    const out: string[] = [];
    if (this.block(body, scope, out) !== 'through') unsupported('a loop that is left from within a block');
    return out.join('');
  }

  #statement(node: Node, scope: Scope, out: string[]): End {
    switch (node.type) {
      case 'If':
        return this.block(
          nodes(truth(this.#value(node.test, scope)) ? node.body : node.alternate),
          scope,
          out,
        );
      case 'For':
        return this.#loop(node, scope, out);
      case 'Set': {
        const value = node.value
          ? this.#value(node.value, scope)
          : this.#text(nodes(node.body), new Scope(scope));
        this.#assign(node.assignee as Node, value, scope);
        return 'through';
      }
      case 'Macro': {
        const name = nameOf(node.name as Node);
        scope.set(name, this.#macro(name, nodes(node.args), nodes(node.body), scope));
        return 'through';
      }
      case 'CallStatement':
        out.push(this.#called(node, scope));
        return 'through';
      case 'FilterStatement': {
        const text = this.#text(nodes(node.body), new Scope(scope));
        out.push(str(this.#expressions.filtered(text, node.filter as Node, scope, filterNamed)));
        return 'through';
      }
      case 'Break':
        return 'break';
      case 'Continue':
        return 'continue';
      case 'Comment':
        return 'through';
      default:
        out.push(str(this.#value(node, scope)));
        return 'through';
    }
  }

  #value(node: unknown, scope: Scope): Value {
    return this.#expressions.value(node as Node, scope);
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'MemberExpression') {
      const space = this.#value(target.object, scope);
      if (!(space instanceof Attributes) || space.kind !== 'namespace' || target.computed)
        fail('only attributes of a namespace can be set');
      else space.values.set(nameOf(target.property as Node), value);
    } else if (target.type === 'TupleLiteral') {
      const targets = nodes(target.value);
      const parts = items(value);
      if (parts.length !== targets.length)
        fail(`${parts.length} values do not go into ${targets.length} names`);
      targets.forEach((one, at) => this.#assign(one, parts[at], scope));
    } else {
      scope.set(nameOf(target), value);
    }
  }

  /** Each iteration has its own scope, so that its assignments do not reach the next. */
  #loop(node: Node, scope: Scope, out: string[]): End {
    const iterable = node.iterable as Node;
    const target = node.loopvar as Node;
    const isChosen = iterable.type === 'SelectExpression';
    const all = items(this.#value(isChosen ? iterable.lhs : iterable, scope));
    const list = isChosen
      ? all.filter((item) => {
          const own = new Scope(scope);
          this.#assign(target, item, own);
          return truth(this.#value(iterable.test, own));
        })
      : all;
    let isEmpty = true;
    for (const [at, item] of list.entries()) {
      const own = new Scope(scope);
      own.set('loop', loopAt(list, at));
      this.#assign(target, item, own);
      const end = this.block(nodes(node.body), own, out);
      if (end === 'break') break;
      // Jinja notes that a loop was not empty at the end of its body
      if (end === 'through') isEmpty = false;
    }
    return isEmpty ? this.block(nodes(node.defaultBlock), new Scope(scope), out) : 'through';
  }

  #macro(name: string, parameters: readonly Node[], body: readonly Node[], scope: Scope): Callable {
    const declared = parameters.map((one) =>
      one.type === 'KeywordArgumentExpression'
        ? { name: nameOf(one.key as Node), otherwise: one.value as Node }
        : { name: nameOf(one), otherwise: undefined },
    );
    return new Callable(name, (given) => {
      const own = new Scope(scope);
      const { caller, rest } = withoutCaller(
        given,
        declared.map((one) => one.name),
      );
      const found = bind(
        name,
        rest,
        declared.map((one) => one.name),
      ) as Readonly<Record<string, Value | undefined>>;
      if (caller) own.set('caller', caller);
      for (const one of declared)
        own.set(one.name, found[one.name] ?? new Undefined(`the argument ${one.name}`));
      for (const one of declared) {
        // null is a value; only an absent argument takes its default
        if (found[one.name] === undefined && one.otherwise)
          own.set(one.name, this.#value(one.otherwise, own));
      }
      return this.#text(body, own);
    });
  }

  #called(node: Node, scope: Scope): string {
    const call = node.call as Node;
    const callee = call.callee as Node;
    const body = nodes(node.body);
    if (callee.value === generationBlock) return this.#text(body, new Scope(scope));
    const caller = this.#macro('caller', nodes(node.callerArgs), body, scope);
    const macro = this.#value(callee, scope);
    const given = this.#expressions.arguments(nodes(call.args), scope);
    if (!(macro instanceof Callable)) return fail(`a ${typeName(macro)} cannot be called`);
    return str(macro.call({ ...given, named: new Map([...given.named, ['caller', caller]]) }));
  }
}

const withoutCaller = (
  { positional, named }: Arguments,
  declared: readonly string[],
): { caller: Value | undefined; rest: Arguments } => {
  const rest = new Map(named);
  const caller = named.get('caller');
  if (declared.includes('caller') || caller === undefined)
    return { caller: undefined, rest: { positional, named } };
  rest.delete('caller');
  return { caller, rest: { positional, named: rest } };
};

const loopAt = (list: readonly Value[], at: number): Attributes =>
  new Attributes(
    'loop',
    new Map<string, Value>([
      ['index', at + 1],
      ['index0', at],
      ['revindex', list.length - at],
      ['revindex0', list.length - at - 1],
      ['first', at === 0],
      ['last', at === list.length - 1],
      ['length', list.length],
      ['previtem', at > 0 ? list[at - 1] : new Undefined('the item before the first')],
      ['nextitem', at + 1 < list.length ? list[at + 1] : new Undefined('the item behind the last')],
      [
        'cycle',
        new Callable('cycle', ({ positional }) =>
          positional.length > 0 ? positional[at % positional.length] : fail('cycle has nothing to give'),
        ),
      ],
    ]),
  );

/** Python's dictionary of these entries. */
export const dictOf = (entries: Readonly<Record<string, unknown>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries).map(([key, value]) => [key, valueOf(value)]));

/** Plain data as values of a template. */
export const valueOf = (data: unknown): Value => {
  if (data === null || data === undefined) return null;
  if (typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return data;
  if (Array.isArray(data)) return new List(data.map(valueOf));
  return data instanceof Callable ? data : dictOf(data as Readonly<Record<string, unknown>>);
};

/** The text of a template with these names. Throws `TemplateStop`. */
export const render = (template: Node, names: Readonly<Record<string, Value>>): string => {
  const globals = new Scope(null);
  const out: string[] = [];
  for (const [name, value] of Object.entries(names)) globals.set(name, value);
  new Renderer().block(nodes(template.body), new Scope(globals), out);
  return out.join('');
};
