import assert from 'node:assert/strict';
import { element, xmlOf } from '../../../src/evaluation/reports/xml.ts';

describe('an XML document', () => {
  it('has indented elements and unchanged text', () => {
    const root = element('suites', {}, [
      element('suite', { name: 'ports', tests: 2 }, [element('out'), element('err', {}, 'line\n  line')]),
    ]);
    assert.equal(
      xmlOf(root),
      `<?xml version="1.0" encoding="UTF-8"?>
<suites>
  <suite name="ports" tests="2">
    <out/>
    <err>line
  line</err>
  </suite>
</suites>
`,
    );
  });

  it('can be read with anything in a text or an attribute', () => {
    const odd = 'a<b & "c">\u0000\u001b[31m \ud83d 😀';
    const written = xmlOf(element('one', { said: odd }, odd));
    const escaped = 'a&lt;b &amp; &quot;c&quot;&gt;\ufffd\ufffd[31m \ufffd 😀';
    assert.equal(
      written,
      `<?xml version="1.0" encoding="UTF-8"?>\n<one said="${escaped}">${escaped}</one>\n`,
    );
  });
});
