import path from 'node:path';
import { installPackages } from './cache.ts';

/** Packages for evaluations: LangSmith's plugins with their test runners, openevals and agentevals. */
const PACKAGES = {
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': '1.7.3',
  agentevals: '0.0.7',
  jest: '30.5.2',
  langsmith: '0.12.0',
  openevals: '0.1.5',
  vitest: '3.2.4',
};

/** The `node_modules` with packages to evaluate with, installed in the cache when it is first asked for. */
export async function evaluationPackages(): Promise<string> {
  const { folder } = await installPackages('evaluation-packages', PACKAGES);
  return path.join(folder, 'node_modules');
}

/** promptfoo with the database that it requires, and without its optional providers. */
export async function promptfooPackages(): Promise<string> {
  const builds: Readonly<Record<string, string>> = { linux: '-gnu', win32: '-msvc' };
  const versions = {
    '@langchain/core': '1.4.0',
    '@langchain/langgraph': '1.7.3',
    [`@libsql/${process.platform}-${process.arch}${builds[process.platform] ?? ''}`]: '0.5.29',
    promptfoo: '0.123.1',
  };
  const { folder } = await installPackages('promptfoo', versions, ['--omit=optional']);
  return path.join(folder, 'node_modules');
}

/** The same for Python, with the packages of a LangGraph project and those with which agents call models and tools. */
export const PYTHON_PACKAGES = `agentevals==0.0.9
aiohappyeyeballs==2.7.1
aiohttp==3.14.5
aiosignal==1.4.0
anthropic==2.12.0
attrs==26.1.0
docstring_parser==0.18.0
execnet==2.1.2
frozenlist==1.8.0
iniconfig==2.3.1
jiter==0.19.0
langchain==1.4.7
langchain-openai==1.7.3
openai==3.54.0
regex==2026.11.15
tiktoken==0.14.0
markdown-it-py==4.3.0
mdurl==0.1.2
multidict==7.2.1
openevals==0.2.2
pluggy==1.7.0
propcache==0.5.4
Pygments==2.21.0
pytest==9.2.0
pytest-xdist==3.8.0
rich==15.0.0
vcrpy==9.4.2
wrapt==2.5.2
yarl==1.25.1
`;
