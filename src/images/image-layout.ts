/** Folders and files in an image. */
export const SERVER_DIR = '/opt/agent-harbor';
/** The Node that only the server uses. */
export const OWN_NODE = `${SERVER_DIR}/node`;
export const PROJECT_DIR = '/app';
/** Everything that must persist, in a volume. */
export const DATA_DIR = '/data';
/** The Python environment of the graphs. */
export const PYTHON_DIR = '/opt/venv';
/** Where installers are kept while they are needed. */
export const TOOLS_DIR = '/tmp/tools';
/** The port if PORT does not specify another. */
export const PORT = 8000;
/** The user and group of the server and the graphs. */
export const USER = '1000:1000';
/** The name of the build context that has the server's own files. */
export const SERVER_CONTEXT = 'agent-harbor';
