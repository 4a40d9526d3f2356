import type { JsonObject } from '../../protocol/protocol.ts';
import type { Node, Type, TypeChecker, TypeScript, TypeSymbol } from '../typescript/typescript-api.ts';
import { MESSAGES_SCHEMA } from './annotation-schemas.ts';

/** Deeper types get an empty schema, because forms do not show them. */
const MAX_DEPTH = 6;
/** Types without a JSON equivalent, which get an empty schema. */
const OPAQUE = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'RegExp',
  'Error',
  'Uint8Array',
  'Buffer',
]);

/** Turns types of a program into JSON schemas. */
export class TypeSchemas {
  readonly #ts: TypeScript;
  readonly #checker: TypeChecker;
  readonly #at: Node;

  constructor(ts: TypeScript, checker: TypeChecker, at: Node) {
    this.#ts = ts;
    this.#checker = checker;
    this.#at = at;
  }

  /** The schema of an object type; null when there is no such type (`never`, `any`) or it names no keys. */
  object(type: Type): JsonObject | null {
    if (this.#is(type, 'Never', 'Any', 'Unknown')) return null;
    if (type.getProperties().length === 0) return null;
    const schema = this.#schema(type, []);
    return schema.type === 'object' ? schema : null;
  }

  /** Whether a type has one of the flags, which are named as in TypeScript's `TypeFlags`. */
  #is(type: Type, ...flags: string[]): boolean {
    return flags.some((name) => (type.flags & (this.#ts.TypeFlags[name] ?? 0)) !== 0);
  }

  /** @param above the types that contain this one, from the outermost */
  #schema(type: Type, above: readonly Type[]): JsonObject {
    const is = (flag: string) => this.#is(type, flag);
    if (above.length > MAX_DEPTH || above.includes(type)) return {};
    if (this.#holdsMessages(type)) return MESSAGES_SCHEMA;
    if (is('StringLiteral')) return { type: 'string', const: type.value };
    if (is('NumberLiteral')) return { type: 'number', const: type.value };
    if (is('BooleanLiteral')) return { type: 'boolean' };
    if (is('StringLike')) return { type: 'string' };
    if (is('NumberLike')) return { type: 'number' };
    if (is('BigIntLike')) return { type: 'integer' };
    if (is('BooleanLike')) return { type: 'boolean' };
    if (is('Null')) return { type: 'null' };
    if (type.isUnion()) return this.#union(type.types ?? [], [...above, type]);
    if (!is('Object') && !type.isIntersection()) return {};
    return this.#structure(type, [...above, type]);
  }

  #structure(type: Type, above: readonly Type[]): JsonObject {
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type);
      return { type: 'array', items: item === undefined ? {} : this.#schema(item, above) };
    }
    if (this.#checker.isTupleType(type)) {
      const items = this.#checker.getTypeArguments(type).map((item) => this.#schema(item, above));
      return { type: 'array', prefixItems: items };
    }
    const name = type.symbol?.name ?? '';
    if (name === 'Date') return { type: 'string', format: 'date-time' };
    if (isMessage(type)) return { type: 'object' };
    if (OPAQUE.has(name)) return {};
    return this.#record(type, above);
  }

  #record(type: Type, above: readonly Type[]): JsonObject {
    const properties: JsonObject = {};
    const required: string[] = [];
    for (const property of type.getProperties()) {
      const value = this.#checker.getTypeOfSymbolAtLocation(property, this.#at);
      if (value.getCallSignatures().length > 0 || property.name.startsWith('__@')) continue;
      properties[property.name] = { ...this.#schema(value, above), ...this.#description(property) };
      if ((property.flags & this.#ts.SymbolFlags.Optional) === 0) required.push(property.name);
    }
    const index = type.getStringIndexType();
    return {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(index === undefined ? {} : { additionalProperties: this.#schema(index, above) }),
    };
  }

  #union(types: readonly Type[], above: readonly Type[]): JsonObject {
    const members = types.filter((type) => !this.#is(type, 'Undefined') && !isOverwrite(type));
    const schemas = members.map((type) =>
      this.#is(type, 'Null') ? { type: 'null' } : this.#schema(type, above),
    );
    const constants = schemas.filter((schema) => 'const' in schema);
    if (constants.length > 1 && constants.length === schemas.length) {
      return enumOf(constants.map((schema) => schema.const));
    }
    const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
    return distinct.length === 1 ? { ...distinct[0] } : { anyOf: distinct };
  }

  /**
   * Whether a type is a list of messages, or a union with one, as the reducer of messages accepts it.
   */
  #holdsMessages(type: Type): boolean {
    if (type.isUnion()) return (type.types ?? []).some((member) => this.#holdsMessages(member));
    if (!this.#checker.isArrayType(type)) return false;
    const [item] = this.#checker.getTypeArguments(type);
    return item !== undefined && (isMessage(item) || (item.isUnion() && (item.types ?? []).some(isMessage)));
  }

  #description(symbol: TypeSymbol): JsonObject {
    const text = this.#ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return text === '' ? {} : { description: text };
  }
}

/** An enum with the type that its values share, because forms need the type. */
function enumOf(values: readonly unknown[]): JsonObject {
  const [type, ...others] = new Set(values.map((value) => typeof value));
  return type === undefined || others.length > 0 ? { enum: values } : { type, enum: values };
}

function isMessage(type: Type): boolean {
  return /^(?:Base|AI|Human|System|Tool|Function|Chat|Remove)Message(?:Chunk)?$/.test(
    type.symbol?.name ?? '',
  );
}

/**
 * Whether a type is `Overwrite`, which nodes may return to replace a value, and which is not part of inputs.
 */
function isOverwrite(type: Type): boolean {
  return (
    /^Overwrite/.test(type.symbol?.name ?? '') ||
    type.getProperties().some(({ name }) => name === '__overwrite__')
  );
}
