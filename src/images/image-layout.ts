/** The folder of the server's own files in an image. */
export const SERVER_DIR = '/opt/agent-harbor';
/** The Node that only the server uses. */
export const OWN_NODE = `${SERVER_DIR}/node`;
/** The folder of the project's files. */
export const PROJECT_DIR = '/app';
/** The server's data folder, which is a volume. */
export const DATA_DIR = '/data';
/** The Python environment of the graphs. */
export const PYTHON_DIR = '/opt/venv';
/** The folder of installers while they are needed. */
export const TOOLS_DIR = '/tmp/tools';
/** The port if PORT does not specify another. */
export const PORT = 8000;
/** The user and group of the server and the graphs. */
export const USER = '1000:1000';
/** The name of the build context that has the server's own files. */
export const SERVER_CONTEXT = 'agent-harbor';
