import assert from 'node:assert/strict';
import { languageInfo } from '../../../../src/server/agent-server/api/system-handlers.ts';

describe('the LangGraph versions of a deployment', () => {
  const program = (language: string, langgraph_version: string) => ({
    language,
    language_version: '',
    langgraph_version,
    executable: '',
    origin: '',
  });
  const ready = (...runtimes: ReturnType<typeof program>[]) => {
    const all = (field: 'language' | 'langgraph_version') => runtimes.map((one) => one[field]).join(' + ');
    const said = { language: all('language'), langgraph_version: all('langgraph_version') };
    return { state: 'ready' as const, ...said, language_version: '', loader: '', runtimes, graphs: [] };
  };

  it('are listed for each language', () => {
    const [node, python] = [program('node', '1.7.3'), program('python', '1.2.22')];
    assert.deepEqual(languageInfo(ready(node)), { langgraph_js_version: '1.7.3', context: 'js' });
    assert.deepEqual(languageInfo(ready(python)), { langgraph_py_version: '1.2.22' });
    assert.deepEqual(languageInfo(ready(node, python)), {
      langgraph_js_version: '1.7.3',
      langgraph_py_version: '1.2.22',
    });
    assert.deepEqual(languageInfo({ state: 'starting' }), {});
  });
});
