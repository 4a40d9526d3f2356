import { ObjectsError } from './objects.ts';

/** A bucket, the prefix of names in it, and the credentials to use it. */
export interface S3Place {
  /** The name for messages, without credentials. */
  readonly name: string;
  readonly bucketUrl: string;
  /** The prefix, which is empty or ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/;

/**
 * Reads `s3://bucket/prefix`. Credentials, region and the address of a store other than Amazon's come from the
 * variables that S3 clients commonly use.
 * @throws ObjectsError
 */
export function readS3Place(url: string, environment: NodeJS.ProcessEnv): S3Place {
  const [, bucket, path = ''] = PLACE.exec(url) ?? [];
  if (bucket === undefined) throw new ObjectsError(`'${url}' is not a bucket. Use s3://bucket/prefix.`);
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_REGION: region = environment.AWS_DEFAULT_REGION ?? 'us-east-1',
    AWS_ENDPOINT_URL_S3: endpoint = environment.AWS_ENDPOINT_URL,
  } = environment;
  if (!accessKeyId || !secretAccessKey)
    throw new ObjectsError(`Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key for ${url}.`);
  const prefix = path.split('/').filter(Boolean).join('/');
  return {
    name: url,
    bucketUrl: bucketUrlOf(bucket, region, endpoint),
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: sessionToken || undefined,
  };
}

/**
 * The URL of a bucket. Stores other than Amazon's often have a single host for all buckets, and certificates do not
 * cover hosts of buckets with dots in their names.
 */
function bucketUrlOf(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint) {
    if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
      throw new ObjectsError(`AWS_ENDPOINT_URL must be an http:// or https:// address, not '${endpoint}'.`);
    return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  }
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
}
