import assert from 'node:assert/strict';
import fc from 'fast-check';
import { draftOf, emptyDraft, restoreDraft } from '../../../src/webviews/shared/form/draft.ts';
import { type Field, formOf } from '../../../src/webviews/shared/form/field.ts';
import { readForm } from '../../../src/webviews/shared/form/read-form.ts';
import { schemaOf } from '../../../src/webviews/shared/form/schema-of.ts';

const order = {
  type: 'object',
  required: ['ship', 'cargo', 'rush'],
  properties: {
    ship: { type: 'string', minLength: 1, description: 'Which ship' },
    tons: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    rush: { type: 'boolean' },
    harbor: { enum: ['Hamburg', 'Genoa', null] },
    captain: { anyOf: [{ $ref: '#/$defs/Person' }, { type: 'null' }] },
    cargo: { type: 'array', items: { $ref: '#/$defs/Crate' }, minItems: 1 },
    extra: { type: 'object', additionalProperties: true },
    flag: {
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
    either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  $defs: {
    Person: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
    Crate: {
      type: 'object',
      properties: { label: { type: 'string' }, weight: { type: ['number', 'null'] } },
    },
  },
};

function form(schema: unknown): Extract<Field, { kind: 'object' }> {
  const field = formOf(schema);
  assert.ok(field !== undefined);
  return field;
}

describe('the schema of a value', () => {
  it('gives all items of a list multi-line fields if one of them has several lines', () => {
    const items = { type: 'string', format: 'multiline' };
    assert.deepEqual(schemaOf(['short', 'two\nlines']), { type: 'array', items });
    assert.deepEqual(schemaOf(['short']), { type: 'array', items: { type: 'string' } });
  });

  it('accepts any value in place of a list of lists, whose items may differ', () => {
    assert.deepEqual(schemaOf([[1], ['a']]), {});
  });
});

describe('a form made from a schema', () => {
  it('has a field for each property, and JSON for those without a fitting field', () => {
    const kinds = Object.fromEntries(form(order).properties.map(({ name, field }) => [name, field.kind]));
    assert.deepEqual(kinds, {
      ship: 'text',
      tons: 'number',
      rush: 'boolean',
      harbor: 'choice',
      captain: 'object',
      cargo: 'list',
      extra: 'json',
      flag: 'choice',
      either: 'json',
    });
  });

  it('yields the values that were filled in, without empty fields', () => {
    const field = form(order);
    const draft = emptyDraft(field);
    assert.deepEqual(draft, { tons: '3' });
    const filled = { tons: '3', ship: 'Ever Given', cargo: [{ label: 'figs', weight: '2.5' }], flag: '1' };
    assert.deepEqual(readForm(field, filled), {
      value: {
        ship: 'Ever Given',
        tons: 3,
        rush: false,
        cargo: [{ label: 'figs', weight: 2.5 }],
        flag: 'g',
      },
    });
  });

  it('shows the error of each field', () => {
    const draft = { tons: '12', harbor: '', captain: undefined, cargo: [], extra: '{"a": }', rush: true };
    const read = readForm(form(order), draft);
    assert.ok('problems' in read);
    assert.deepEqual(Object.keys(read.problems).toSorted(), ['cargo', 'extra', 'ship', 'tons']);
    assert.equal(read.problems.tons, 'Must be at most 9.');
    assert.match(read.problems.extra ?? '', /A value is missing/);
  });

  it('counts characters in texts, not units of their encoding', () => {
    const field = form({ properties: { mark: { type: 'string', minLength: 2, maxLength: 2 } } });
    assert.deepEqual(readForm(field, { mark: '👍👍' }), { value: { mark: '👍👍' } });
    assert.ok('problems' in readForm(field, { mark: '👍' }));
  });

  it('names the place in lists and objects', () => {
    const schema = {
      properties: {
        rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
      },
    };
    const read = readForm(form(schema), { rows: [{ n: '1' }, { n: 'two' }] });
    assert.deepEqual(read, { problems: { 'rows.1.n': '“two” is not a number.' } });
  });

  it('validates an optional object as soon as one of its fields is filled in', () => {
    const field = form(order);
    const read = readForm(field, { ship: 'a', rush: true, cargo: [{}], captain: { name: 'Ahab' } });
    assert.deepEqual(read, { value: { ship: 'a', rush: true, cargo: [{}], captain: { name: 'Ahab' } } });
  });

  it('takes over values from JSON', () => {
    const field = form(order);
    const value = {
      ship: 'a',
      tons: 2,
      rush: true,
      harbor: 'Genoa',
      cargo: [{ label: 'b' }],
      extra: { x: [1] },
    };
    assert.deepEqual(readForm(field, draftOf(field, value)), { value });
  });

  it('ends where a schema contains itself, and does not exist for a schema without fields', () => {
    const tree = {
      $ref: '#/$defs/T',
      $defs: { T: { type: 'object', properties: { next: { $ref: '#/$defs/T' } } } },
    };
    assert.equal(form(tree).properties[0]?.field.kind, 'object');
    assert.equal(formOf({ type: 'object' }), undefined);
    assert.equal(formOf({ $ref: '#' }), undefined);
    assert.equal(formOf(null), undefined);
    assert.equal(formOf({ type: 'string' }), undefined);
  });

  it('joins the parts of a schema', () => {
    const schema = {
      allOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number' } } },
      ],
    };
    assert.deepEqual(
      form(schema).properties.map(({ name, required }) => [name, required]),
      [
        ['a', true],
        ['b', false],
      ],
    );
  });

  it('leaves what has a default for the graph to fill in, and sends null where null is the default', () => {
    const schema = {
      required: ['model', 'temperature', 'limit'],
      properties: {
        model: { type: 'string', default: 'small' },
        temperature: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }], default: null },
        limit: { type: ['integer', 'null'] },
      },
    };
    assert.deepEqual(
      form(schema).properties.map(({ required }) => required),
      [false, false, true],
    );
    assert.deepEqual(readForm(form(schema), draftOf(form(schema), {})), { value: { limit: null } });
    assert.deepEqual(readForm(form(schema), emptyDraft(form(schema))), {
      value: { model: 'small', temperature: null, limit: null },
    });
  });

  it('requires a text just as it requires a number', () => {
    const schema = {
      required: ['city', 'tons'],
      properties: { city: { type: 'string' }, tons: { type: 'number' } },
    };
    const read = readForm(form(schema), emptyDraft(form(schema)));
    assert.deepEqual(read, { problems: { city: 'Required', tons: 'Required' } });
  });

  it('has room for a text that is not known to be short, and keeps its line breaks', () => {
    const texts = {
      city: { type: 'string' },
      prompt: { type: 'string', langgraph_type: 'prompt', maxLength: 40, langgraph_nodes: ['plan', 'write'] },
      code: { type: 'string', maxLength: 8 },
      mail: { type: 'string', format: 'email' },
      notes: { type: 'string' },
    };
    const { properties } = form({ properties: texts });
    assert.deepEqual(
      properties.map(({ name, field }) => [name, field.kind === 'text' && field.length, field.nodes]),
      [
        ['city', 'growing', []],
        ['prompt', 'lines', ['plan', 'write']],
        ['code', 'line', []],
        ['mail', 'line', []],
        ['notes', 'lines', []],
      ],
    );
  });

  it('leaves out what was typed into fields that the schema no longer has', () => {
    const text = { type: 'string' };
    const before = form({
      type: 'object',
      properties: { ship: text, port: text, tags: { type: 'array', items: text } },
    });
    const draft = draftOf(before, { ship: 'Ada', port: '42', tags: ['7'] });
    assert.deepEqual(readForm(form({ type: 'object', properties: { ship: text } }), draft), {
      value: { ship: 'Ada' },
    });
  });

  it('shows a value that it kept as soon as the schema has a field for it', () => {
    const text = { type: 'string' };
    const value = { ship: 'Ada', port: 'Genoa', tons: 7 };
    const draft = draftOf(form({ type: 'object', properties: { ship: text } }), value);
    const after = form({ type: 'object', properties: { ship: text, port: text, tons: { type: 'number' } } });
    assert.deepEqual(readForm(after, restoreDraft(JSON.parse(JSON.stringify(draft)))), { value });
  });

  it('reads exclusive limits', () => {
    const field = form({
      properties: { rate: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } },
    });
    const of = (rate: string) => readForm(field, { rate });
    assert.deepEqual(of('0.5'), { value: { rate: 0.5 } });
    assert.deepEqual(of('0'), { problems: { rate: 'Must be greater than 0.' } });
    assert.deepEqual(of('1'), { problems: { rate: 'Must be less than 1.' } });
  });

  it('gives back any value of any schema, and changes only what was typed', () => {
    const check = fc.property(schemaWithValue, fc.string({ minLength: 1 }), ({ schema, value }, typed) => {
      const field = formOf(schema);
      fc.pre(field !== undefined);
      // The draft as a panel keeps it across a reload.
      const draft = restoreDraft(JSON.parse(JSON.stringify(draftOf(field, value))));
      const back = readForm(field, draft);
      assert.deepEqual(back, { value });
      const text = field.properties.find(({ field: { kind } }) => kind === 'text')?.name;
      if (text === undefined) return;
      assert.ok(typeof draft === 'object' && draft !== null);
      const changed = readForm(field, { ...draft, [text]: typed });
      assert.deepEqual(changed, { value: { ...value, [text]: typed } });
    });
    const value = JSON.parse('{"other":{"__proto__":""}}');
    const schema = { type: 'object', properties: { text: { type: 'string' } }, required: [] };
    fc.assert(check, { numRuns: 300, examples: [[{ schema, value }, 'typed']] });
  });
});

interface Shape {
  readonly schema: Record<string, unknown>;
  /** A value that the schema allows, or an invalid one that a server may still have. */
  readonly value: unknown;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const json = fc.jsonValue({ maxDepth: 2 }).map(plain);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(plain);
/** A text of several lines, as prompts are. */
const text = fc.array(fc.string(), { maxLength: 3 }).map((lines) => lines.join('\n'));

/** A kind of schema, with values that it allows. */
const of = (schema: Record<string, unknown>, value: fc.Arbitrary<unknown>): fc.Arbitrary<Shape> =>
  value.map((one) => ({ schema, value: one }));

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    of({ type: 'string' }, text),
    of({ type: 'string', default: 'a', langgraph_type: 'prompt' }, text),
    of({ type: ['string', 'null'] }, fc.option(text)),
    of({ type: 'string', format: 'date' }, text),
    of({ type: 'number', default: 1 }, number),
    of({ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null }, fc.option(fc.integer())),
    of({ type: 'boolean' }, fc.boolean()),
    of({ enum: ['a', 1, true, null] }, fc.constantFrom('a', 1, true, null)),
    of({ const: 'only' }, fc.constant('only')),
    of({ type: 'array', items: { enum: ['a', 'b'] } }, fc.array(fc.constantFrom('a', 'b'))),
    of({ type: 'object', additionalProperties: { type: 'number' } }, fc.dictionary(fc.string(), number)),
    of({ anyOf: [{ type: 'string' }, { type: 'number' }] }, fc.oneof(text, number)),
    of({}, json),
    // A value of a different type than in the schema.
    fc
      .constantFrom({ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { enum: ['x'] })
      .chain((schema) => of(schema, fc.oneof(fc.array(json), fc.constant({ held: 'y' })))),
    fc.record({ of: tie('shape'), count: fc.nat(3) }).map(({ of: item, count }) => ({
      schema: { type: 'array', items: item.schema },
      value: Array.from({ length: count }, () => item.value),
    })),
    objectOf(tie('shape')),
  ),
}));

/** An object with known properties, each present or not and required or not, and with some unknown ones. */
function objectOf(inner: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  const property = fc.record({ of: inner, isThere: fc.boolean(), isRequired: fc.boolean() });
  const others = fc.dictionary(fc.string(), json, { maxKeys: 2 });
  return fc.record({ known: fc.dictionary(fc.string(), property, { maxKeys: 4 }), others }).map((made) => {
    const known = Object.entries(made.known);
    const values = known
      .filter(([, { isThere }]) => isThere)
      .map(
        ([
          name,
          {
            of: { value },
          },
        ]) => [name, value],
      );
    const others = Object.entries(made.others).filter(([name]) => !Object.hasOwn(made.known, name));
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          known.map(
            ([
              name,
              {
                of: { schema },
              },
            ]) => [name, schema],
          ),
        ),
        // Missing values may be absent.
        required: known.filter(([, { isThere, isRequired }]) => isThere && isRequired).map(([name]) => name),
      },
      value: Object.fromEntries([...values, ...others]),
    };
  });
}

const schemaWithValue = objectOf(shape).map((made) => {
  const { schema } = made;
  const value = plain(made.value);
  assert.ok(typeof value === 'object' && value !== null);
  return { schema, value };
});
