/** Evaluates expressions. */
import { attribute, binary, negated, slice, subscript } from './operators.ts';
import { filterNamed, type Filter } from './filters.ts';
import type { Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import { testNamed } from './tests.ts';
import {
  Callable,
  fail,
  Float,
  isDict,
  isNumber,
  items,
  List,
  numberOf,
  truth,
  typeName,
  Undefined,
  unsupported,
  type Arguments,
  type Value,
} from './values.ts';

const nodes = (value: unknown): readonly Node[] => (value ?? []) as readonly Node[];
const operatorOf = (node: Node): string => (node.operator as { readonly value: string }).value;
const isBinary = (node: Node, operators: readonly string[]): boolean =>
  node.type === 'BinaryExpression' && operators.includes(operatorOf(node));

export class Expressions {
  value(node: Node | undefined, scope: Scope): Value {
    switch (node?.type) {
      case 'StringLiteral':
        return node.value as string;
      case 'IntegerLiteral':
        return node.value as number;
      case 'FloatLiteral':
        return new Float(node.value as number);
      case 'Identifier':
        return scope.get(node.value as string);
      case 'ArrayLiteral':
        return new List(nodes(node.value).map((one) => this.value(one, scope)));
      case 'TupleLiteral':
        return new List(
          nodes(node.value).map((one) => this.value(one, scope)),
          true,
        );
      case 'ObjectLiteral':
        return new Map(
          [...(node.value as ReadonlyMap<Node, Node>)].map(([key, one]) => [
            this.#key(key, scope),
            this.value(one, scope),
          ]),
        );
      case 'MemberExpression':
        return this.#member(node, scope);
      case 'CallExpression':
        return this.#call(node, scope);
      case 'FilterExpression':
        return this.filtered(
          this.value(node.operand as Node, scope),
          node.filter as Node,
          scope,
          filterNamed,
        );
      case 'TestExpression':
        return (
          testNamed((node.test as Node).value as string)(this.value(node.operand as Node, scope)) !==
          node.negate
        );
      case 'UnaryExpression':
        return this.#unary(node, scope);
      case 'BinaryExpression':
        return this.#binary(node, scope);
      case 'Ternary':
        return this.value(
          (truth(this.value(node.condition as Node, scope)) ? node.trueExpr : node.falseExpr) as Node,
          scope,
        );
      case 'SelectExpression':
        return truth(this.value(node.test as Node, scope))
          ? this.value(node.lhs as Node, scope)
          : new Undefined('what an if without an else gives');
      default:
        return unsupported(node ? `a ${node.type}` : 'an expression that is missing');
    }
  }

  #key(node: Node, scope: Scope): string {
    const key = this.value(node, scope);
    return typeof key === 'string' ? key : unsupported(`a dictionary’s key that is a ${typeName(key)}`);
  }

  #member(node: Node, scope: Scope): Value {
    const object = this.value(node.object as Node, scope);
    const property = node.property as Node;
    if (property.type === 'SliceExpression') {
      const [from, to, by] = [property.start, property.stop, property.step].map((part) =>
        part ? this.value(part as Node, scope) : undefined,
      );
      return slice(object, from, to, by);
    }
    if (node.computed) return subscript(object, this.value(property, scope));
    return property.type === 'Identifier'
      ? attribute(object, property.value as string)
      : subscript(object, property.value as number);
  }

  arguments(args: readonly Node[], scope: Scope): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const one of args) {
      if (one.type === 'SpreadExpression') positional.push(...items(this.value(one.argument as Node, scope)));
      else if (one.type === 'KeywordArgumentExpression')
        named.set((one.key as Node).value as string, this.value(one.value as Node, scope));
      else if (one.type === 'KeywordSpreadExpression') {
        const given = this.value(one.argument as Node, scope);
        if (!isDict(given)) fail(`a ${typeName(given)} holds no named arguments`);
        else for (const [key, value] of given) named.set(key, value);
      } else positional.push(this.value(one, scope));
    }
    return { positional, named };
  }

  #call(node: Node, scope: Scope): Value {
    const callee = this.value(node.callee as Node, scope);
    if (callee instanceof Undefined) return fail(`${callee.what} is undefined`);
    return callee instanceof Callable
      ? callee.call(this.arguments(nodes(node.args), scope))
      : fail(`a ${typeName(callee)} cannot be called`);
  }

  filtered(operand: Value, filter: Node, scope: Scope, named: (name: string) => Filter): Value {
    const callee = filter.type === 'CallExpression' ? (filter.callee as Node) : filter;
    if (callee.type !== 'Identifier') return unsupported('a filter that is no name');
    return named(callee.value as string)(
      operand,
      this.arguments(nodes(filter.type === 'CallExpression' ? filter.args : []), scope),
    );
  }

  #unary(node: Node, scope: Scope): Value {
    const value = this.value(node.argument as Node, scope);
    const operator = operatorOf(node);
    if (operator === 'not') return !truth(value);
    if (operator === '-') return negated(value);
    return isNumber(value)
      ? value instanceof Float
        ? value
        : numberOf(value)
      : fail(`a ${typeName(value)} has no sign`);
  }

  #binary(node: Node, scope: Scope): Value {
    const operator = operatorOf(node);
    const first = node.left as Node;
    const left = this.value(first, scope);
    if (operator === 'and') return truth(left) ? this.value(node.right as Node, scope) : left;
    if (operator === 'or') return truth(left) ? left : this.value(node.right as Node, scope);
    // Jinja and the parser disagree on this without parentheses; for texts both give the same
    if (operator === '~' && isBinary(first, ['+', '-']) && typeof left !== 'string')
      return unsupported('~ behind + or - of what is no text');
    return binary(operator, left, this.value(node.right as Node, scope));
  }
}
