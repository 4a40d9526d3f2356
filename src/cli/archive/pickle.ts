/**
 * Reads a Python pickle (protocol 2 or 3) as data. Unpickling would run code from the file; this reader runs
 * none. Calls of the few names that stand for plain data (such as bytes, dicts and sets) become that data;
 * every other object becomes a `PickledObject`.
 */

/** An object that was not constructed: its class, the constructor's arguments, and its state. */
export class PickledObject {
  /** The name of the class, such as `uuid.UUID`. */
  readonly name: string;
  readonly args: readonly unknown[];
  state: unknown = undefined;
  constructor(name: string, args: readonly unknown[]) {
    this.name = name;
    this.args = args;
  }
}

/** The file is not a supported pickle. */
export class PickleError extends Error {
  override readonly name = 'PickleError';
}

/** The name of a class or function, which is never looked up. */
class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const MARK = Symbol('mark');
const STOP = '.';
const MAX_PROTOCOL = 3;

/**
 * Reads a pickle.
 * @returns dicts as Maps; tuples, lists and sets as arrays; bytes as Buffers; long integers as bigints
 * @throws PickleError
 */
export function readPickle(bytes: Buffer): unknown {
  return new Machine(bytes).run();
}

/** Pickles are programs for a stack machine, which this class runs. */
class Machine {
  readonly #bytes: Buffer;
  readonly #stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(): unknown {
    for (;;) {
      const code = String.fromCharCode(this.#byte());
      if (code === STOP) return this.#result();
      const step = this.#steps[code];
      if (step === undefined) {
        throw new PickleError(
          `Instruction ${JSON.stringify(code)} at byte ${this.#at - 1} is not supported.`,
        );
      }
      step();
    }
  }

  #result(): unknown {
    const [result] = this.#popMany(1);
    if (result === MARK) throw new PickleError('It is incomplete.');
    return result;
  }

  /** The instructions, by the characters that Python's `pickletools` shows for them. */
  readonly #steps: Readonly<Record<string, () => void>> = {
    '\x80': () => this.#checkProtocol(this.#byte()),
    '(': () => this.#push(MARK),
    N: () => this.#push(null),
    '\x88': () => this.#push(true),
    '\x89': () => this.#push(false),
    K: () => this.#push(this.#byte()),
    M: () => this.#push(this.#take(2).readUInt16LE()),
    J: () => this.#push(this.#take(4).readInt32LE()),
    '\x8a': () => this.#push(readLong(this.#take(this.#byte()))),
    '\x8b': () => this.#push(readLong(this.#take(this.#length()))),
    G: () => this.#push(this.#take(8).readDoubleBE()),
    X: () => this.#push(this.#take(this.#length()).toString('utf8')),
    C: () => this.#push(this.#take(this.#byte())),
    B: () => this.#push(this.#take(this.#length())),
    ']': () => this.#push([]),
    ')': () => this.#push([]),
    '}': () => this.#push(new Map()),
    t: () => this.#push(this.#sinceMark()),
    l: () => this.#push(this.#sinceMark()),
    '\x85': () => this.#push(this.#popMany(1)),
    '\x86': () => this.#push(this.#popMany(2)),
    '\x87': () => this.#push(this.#popMany(3)),
    d: () => this.#push(new Map(pairs(this.#sinceMark()))),
    a: () => this.#append([this.#pop()]),
    e: () => this.#append(this.#sinceMark()),
    s: () => this.#set(this.#popMany(2)),
    u: () => this.#set(this.#sinceMark()),
    q: () => this.#memo.set(this.#byte(), this.#top()),
    r: () => this.#memo.set(this.#length(), this.#top()),
    h: () => this.#push(this.#recall(this.#byte())),
    j: () => this.#push(this.#recall(this.#length())),
    '0': () => this.#pop(),
    '2': () => this.#push(this.#top()),
    c: () => this.#push(new Name(`${this.#line()}.${this.#line()}`)),
    R: () => this.#make(),
    '\x81': () => this.#make(),
    b: () => this.#build(),
  };

  #checkProtocol(protocol: number): void {
    if (protocol > MAX_PROTOCOL) throw new PickleError(`Protocol ${protocol} is not supported.`);
  }

  #make(): void {
    const [name, args] = this.#popMany(2);
    this.#push(make(name, args));
  }

  #build(): void {
    const state = this.#pop();
    const object = this.#top();
    if (object instanceof PickledObject) object.state = state;
  }

  #push(value: unknown): void {
    this.#stack.push(value);
  }

  #pop(): unknown {
    if (this.#stack.length === 0) throw new PickleError('Its stack is empty.');
    return this.#stack.pop();
  }

  #top(): unknown {
    if (this.#stack.length === 0) throw new PickleError('Its stack is empty.');
    return this.#stack.at(-1);
  }

  #popMany(count: number): unknown[] {
    if (this.#stack.length < count) throw new PickleError('Its stack is empty.');
    return this.#stack.splice(-count);
  }

  #sinceMark(): unknown[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at === -1) throw new PickleError('A mark is missing.');
    const items = this.#stack.splice(at);
    return items.slice(1);
  }

  #append(items: readonly unknown[]): void {
    const list = this.#top();
    if (!Array.isArray(list)) throw new PickleError('It appends to a value that is not a list.');
    for (const item of items) list.push(item);
  }

  /** Sets entries of a dict. Entries of an object, such as one of a subclass of dict, are ignored. */
  #set(items: readonly unknown[]): void {
    const map = this.#top();
    if (map instanceof Map) for (const [key, value] of pairs(items)) map.set(key, value);
    else if (!(map instanceof PickledObject))
      throw new PickleError('It sets items of a value that is not a dict.');
  }

  #recall(index: number): unknown {
    if (!this.#memo.has(index)) throw new PickleError(`It recalls ${index}, which it never stored.`);
    return this.#memo.get(index);
  }

  #byte(): number {
    return this.#take(1).readUInt8();
  }

  #length(): number {
    return this.#take(4).readUInt32LE();
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new PickleError('It is incomplete.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end === -1) throw new PickleError('It is incomplete.');
    const line = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return line;
  }
}

/**
 * The result of calling a class or function: plain data if the name stands for such data, else a
 * `PickledObject`.
 */
function make(name: unknown, args: unknown): unknown {
  if (!(name instanceof Name)) throw new PickleError('It calls a value that is not a name.');
  const given: unknown[] = Array.isArray(args) ? args : [];
  const [first] = given;
  switch (name.text) {
    case '_codecs.encode':
      if (typeof first === 'string') return Buffer.from(first, 'latin1');
      break;
    case '__builtin__.bytes':
    case 'builtins.bytes':
      if (given.length === 0) return Buffer.alloc(0);
      break;
    case '__builtin__.set':
    case '__builtin__.frozenset':
    case '__builtin__.list':
      return Array.isArray(first) ? first : [];
    case 'collections.defaultdict':
    case 'collections.OrderedDict':
    case '__builtin__.dict':
      return new Map();
  }
  return new PickledObject(name.text, given);
}

function* pairs(items: readonly unknown[]): Generator<[unknown, unknown]> {
  for (let at = 0; at + 1 < items.length; at += 2) yield [items[at], items[at + 1]];
}

/** Reads an integer of any length: two's complement, little-endian. */
function readLong(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n;
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  return BigInt.asIntN(bytes.length * 8, value);
}
