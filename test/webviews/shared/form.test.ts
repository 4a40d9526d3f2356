import assert from 'node:assert/strict';
import { draftOf } from '../../../src/webviews/shared/form/draft.ts';
import { type Field, formOf } from '../../../src/webviews/shared/form/field.ts';
import { readForm } from '../../../src/webviews/shared/form/read-form.ts';

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
    const draft = draftOf(field);
    assert.ok(typeof draft === 'object' && !Array.isArray(draft));
    const filled = { ...draft, ship: 'Ever Given', cargo: [{ label: 'figs', weight: '2.5' }], flag: '1' };
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
    const draft = { tons: '12', harbor: '', captain: { name: '' }, cargo: [], extra: '{"a": }', rush: true };
    const read = readForm(form(order), draft);
    assert.ok('problems' in read);
    assert.deepEqual(Object.keys(read.problems).toSorted(), ['cargo', 'extra', 'ship', 'tons']);
    assert.equal(read.problems.tons, 'Must be at most 9.');
    assert.match(read.problems.extra ?? '', /A value is missing/);
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
});
