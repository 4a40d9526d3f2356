import { spawn, spawnSync } from 'node:child_process';
import { AwsClient } from 'aws4fetch';
import { interpreterIn, makeEnvironment, withPython } from './python-environments.ts';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure } from './wait.ts';

/** A server of the S3 protocol that the tests run themselves. */
export interface ObjectStore extends AsyncDisposable {
  /** The address, credentials and region that a client needs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes an empty bucket. @returns its name. */
  createBucket(): Promise<string>;
}

/** Long enough for pip to install it once. */
const START_TIMEOUT_MS = 600_000;

/** Starts moto; if it is not available, the suite is skipped and says so. */
export async function requireMoto(context: Mocha.Context): Promise<ObjectStore> {
  context.timeout(START_TIMEOUT_MS);
  const environment = await withPython(context, () => makeEnvironment('moto', MOTO));
  return startStore((port) => ({
    program: interpreterIn(environment),
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  }));
}

/** Requirements of moto's server for S3; the packages for other services are ten times as large. */
const MOTO = `antlr4-python3-runtime==4.13.2
blinker==1.9.0
boto3==1.44.5
botocore==1.44.5
certifi==2026.10.18
cffi==2.1.1
charset-normalizer==3.5.2
click==8.5.1
cryptography==50.0.2
Flask==3.1.3
flask-cors==6.0.5
idna==3.20
itsdangerous==2.2.0
Jinja2==3.1.6
jmespath==1.1.0
MarkupSafe==3.0.4
moto==5.2.5
py-partiql-parser==0.6.3
pycparser==3.12
python-dateutil==2.9.0.post0
PyYAML==6.0.3
requests==2.34.2
responses==0.26.3
s3transfer==0.19.3
six==1.17.0
typing_extensions==4.16.0
urllib3==2.8.0
Werkzeug==3.1.9
xmltodict==1.0.4
`;

/**
 * Starts versitygw, which, unlike moto, checks signatures. If it is not on the PATH, the suite is skipped and says so,
 * because building versitygw takes minutes (`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`).
 */
export async function requireVersitygw(context: Mocha.Context): Promise<ObjectStore> {
  context.timeout(START_TIMEOUT_MS);
  const program = 'versitygw';
  if (spawnSync(program, ['--version']).status !== 0) return skip(context, 'versitygw is not on the PATH');
  return startStore((port, folder) => ({
    program,
    args: [
      ...['--port', `127.0.0.1:${port}`, '--access', CREDENTIALS.AWS_ACCESS_KEY_ID],
      ...['--secret', CREDENTIALS.AWS_SECRET_ACCESS_KEY, 'posix', folder],
    ],
  }));
}

const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'tests',
  AWS_SECRET_ACCESS_KEY: 'tests-secret',
  AWS_REGION: 'us-east-1',
} as const;

async function startStore(
  command: (port: number, folder: string) => { program: string; args: string[] },
): Promise<ObjectStore> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await temporaryFolder()).path;
  const port = await unusedPort();
  const { program, args } = command(port, folder);
  const environment = { ...CREDENTIALS, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
  let said = '';
  const server = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
  cleanup.defer(async () => {
    server.kill();
    await ended;
  });
  const client = new AwsClient({
    service: 's3',
    region: environment.AWS_REGION,
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    retries: 0,
  });
  const ask = (name: string, method: string) =>
    client.fetch(`${environment.AWS_ENDPOINT_URL}/${name}`, { method });
  const isUp = async () => {
    if (server.exitCode !== null) throw new FinalFailure(`it ended: ${said}`);
    return (await ask('', 'GET')).ok;
  };
  await eventually('the object store answers', isUp, Boolean, 60_000);
  const held = cleanup.move();
  let buckets = 0;
  return {
    environment,
    createBucket: async () => {
      const name = `bucket-${++buckets}`;
      const answer = await ask(name, 'PUT');
      if (!answer.ok) throw new Error(`The bucket was not created: ${await answer.text()}`);
      return name;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
