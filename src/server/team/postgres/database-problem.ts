import { DatabaseError } from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { messageOf } from '../../../process/message-of.ts';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import { NoSession, OnStandby } from './begin-session.ts';
import { CONNECTIONS_PER_SERVER } from './connection-room.ts';
import { isTransient, isUnreachable } from './error-kinds.ts';

/** SQLSTATE codes by PostgreSQL's own names: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INVALID_PASSWORD = '28P01';
const INVALID_AUTHORIZATION = '28000';
const INVALID_CATALOG_NAME = '3D000';
const INSUFFICIENT_PRIVILEGE = '42501';
const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY_TRANSACTION = '25006';
const CANNOT_CONNECT_NOW = '57P03';
const PROTOCOL_VIOLATION = '08P01';

const NO_ANSWER = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
const CERTIFICATE_CODES =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_\w+)$/;

/** The parts of a connection's URL that messages contain; the password is never among them. */
interface UrlParts {
  readonly user: string;
  readonly database: string;
  readonly address: string;
}

/**
 * Explains why a database cannot be used, and what to do about it, to the person who starts a server.
 * @param failure describes the failure, for unknown errors.
 */
export function databaseProblem(
  error: unknown,
  url: string,
  failure = 'The database cannot be used',
): DataFolderError {
  if (error instanceof DataFolderError) return error;
  const cause = error instanceof DatabaseUnreachable ? error.cause : error;
  const parts = partsOf(url);
  const problem =
    cause instanceof DatabaseError ? problemOfDatabase(cause, parts) : problemOfConnection(cause, parts);
  const mayPass = isUnreachable(cause) || isTransient(cause) || isExhausted(cause);
  return new DataFolderError(problem ?? `${failure}: ${messageOf(cause ?? error)}`, { cause, mayPass });
}

/** Whether PostgreSQL has run out of disk space, memory or connections. */
function isExhausted(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code ?? '').startsWith('53');
}

/** Explains an error of the database; undefined for any other error, such as one of a graph that does not load. */
export function findDatabaseProblem(error: unknown, url: string): DataFolderError | undefined {
  const isOfDatabase = error instanceof DatabaseUnreachable || error instanceof DatabaseError;
  return isOfDatabase ? databaseProblem(error, url) : undefined;
}

function problemOfDatabase(
  { code, message, detail = '' }: DatabaseError,
  parts: UrlParts,
): string | undefined {
  const { user, database, address } = parts;
  switch (code) {
    case INVALID_PASSWORD:
      return `PostgreSQL at ${address} refuses the password of user ${user}. Check both in the URL of the database, where characters such as @, / and # are written as %40, %2F and %23.`;
    case INVALID_AUTHORIZATION:
      return notAdmitted(message, parts);
    case INVALID_CATALOG_NAME:
      return `PostgreSQL at ${address} has no database ${database}. Check the URL, or make the database: CREATE DATABASE ${quoted(database)} OWNER ${quoted(user)};`;
    case INSUFFICIENT_PRIVILEGE:
      return withoutRight(`${message} ${detail}`, parts);
    case TOO_MANY_CONNECTIONS:
      return `PostgreSQL at ${address} has no connection left for this server (${message}). A server of a team uses up to ${CONNECTIONS_PER_SERVER}: set max_connections to ${CONNECTIONS_PER_SERVER} for each server and 3 more, or raise the CONNECTION LIMIT of user ${user} or of database ${database}.`;
    case READ_ONLY_TRANSACTION:
      return onStandby(parts);
    case CANNOT_CONNECT_NOW:
      return `PostgreSQL at ${address} is not accepting connections right now (${message}). Start this server again when it does.`;
    case PROTOCOL_VIOLATION:
      return refusedParameter(message, address);
    default:
      return undefined;
  }
}

/** Explains a parameter that a pooler refuses, which only the URL can contain. */
function refusedParameter(message: string, address: string): string | undefined {
  const [, name] = /unsupported startup parameter: (\S+)/.exec(message) ?? [];
  if (name === undefined) return undefined;
  return `The pooler at ${address} does not accept the parameter ${name} in the URL of the database. Remove it from the URL, or add it to ignore_startup_parameters in PgBouncer.`;
}

function notAdmitted(message: string, { user, database, address }: UrlParts): string {
  if (/role .* does not exist/.test(message))
    return `PostgreSQL at ${address} has no user ${user}. Check the URL of the database, or create the user: CREATE ROLE ${quoted(user)} LOGIN PASSWORD '…';`;
  if (/not permitted to log in/.test(message))
    return `User ${user} cannot log in to PostgreSQL at ${address}. Allow it: ALTER ROLE ${quoted(user)} LOGIN;`;
  const line = `a line for this machine, user ${user} and database ${database}`;
  return /no encryption$/.test(message)
    ? `PostgreSQL at ${address} does not allow user ${user} to database ${database} without TLS (${message}). Add ?sslmode=verify-full to the URL of the database, or add to the start of its pg_hba.conf ${line}.`
    : `PostgreSQL at ${address} does not allow user ${user} to database ${database} (${message}). Its pg_hba.conf needs ${line}.`;
}

/**
 * Explains a missing right, and quotes the statement with which the database's owner or a superuser grants
 * it.
 */
function withoutRight(message: string, { user, database }: UrlParts): string {
  const who = `User ${user}`;
  const run = `Run this in database ${database}, as its owner or a superuser:`;
  const [, schema] = /permission denied for schema (\S+)/.exec(message) ?? [];
  if (schema !== undefined)
    return `${who} cannot create tables in schema ${schema} of database ${database}. ${run} GRANT USAGE, CREATE ON SCHEMA ${quoted(schema)} TO ${quoted(user)};`;
  if (/CONNECT privilege/.test(message))
    return `${who} cannot connect to database ${database}. ${run} GRANT CONNECT ON DATABASE ${quoted(database)} TO ${quoted(user)};`;
  if (/permission denied for database/.test(message))
    return `${who} cannot create a schema in database ${database}. ${run} GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(user)};`;
  return `${who} cannot use the tables in database ${database} (${message.trim()}). Use the URL of the user who made them, or give them to ${user}: ${run} ALTER TABLE … OWNER TO ${quoted(user)};`;
}

function onStandby({ database, address }: UrlParts): string {
  return `Database ${database} at ${address} can only be read, as a standby. Use the address of the primary.`;
}

function problemOfConnection(error: unknown, parts: UrlParts): string | undefined {
  const { user, address } = parts;
  if (error instanceof OnStandby) return onStandby(parts);
  if (error instanceof NoSession)
    return `PostgreSQL at ${address} lets this server connect, but answers nothing. A pooler in between may have no connection left: set default_pool_size of PgBouncer to ${CONNECTIONS_PER_SERVER} for each server.`;
  const code = codeOf(error);
  if (code !== undefined && NO_ANSWER.has(code))
    return `No PostgreSQL answers at ${address} (${code}). Check the address in the URL of the database, and that PostgreSQL runs and listens there.`;
  if (code !== undefined && CERTIFICATE_CODES.test(code))
    return `The certificate of PostgreSQL at ${address} cannot be verified (${messageOf(error)}). Name the certificate of its authority in the URL of the database, as sslrootcert=/path/of/ca.pem, and the host that the certificate is for.`;
  const message = messageOf(error);
  if (/does not support SSL/.test(message))
    return `PostgreSQL at ${address} has no TLS. Remove sslmode from the URL of the database, or turn ssl on in PostgreSQL.`;
  if (/password must be a/.test(message))
    return `PostgreSQL at ${address} asks user ${user} for a password, and the URL of the database has none: postgres://${user}:<password>@${address}/…`;
  if (/timeout/i.test(message))
    return `PostgreSQL at ${address} does not answer (${message}). Check the address in the URL of the database, and the network between this machine and it.`;
  return undefined;
}

/** The code of an error; if every address of a host failed, the first code among these failures. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}

/** Reads the user, the database and the address in a URL, with PostgreSQL's defaults. */
function partsOf(text: string): UrlParts {
  const url = URL.parse(text);
  if (url === null) return { user: '?', database: '?', address: '?' };
  const user = decoded(url.username) || 'postgres';
  const address = `${url.hostname || 'localhost'}:${url.port || '5432'}`;
  return { user, database: decoded(url.pathname.slice(1)) || user, address };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name in SQL. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
