// npm run causeway -- export: everything of a tenant in a file, and its grants if the tenant gave a key for them.
import { readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CompactEncrypt, calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import { StartError } from '../../kit/process/start-error.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { Failure } from '../domain/failure.ts'
import type { ExportedGrant } from '../exports/flows/export-grants.ts'
import { recordAnswer } from '../exports/http/tenant-export.ts'
import type { Flows } from '../flows.ts'

export type ExportOptions = { tenant: string; out: string; grantsFor?: string; publicUrl: string }

const operator: Actor = { kind: 'operator' }
const caller = { keyId: 'operator', tenant: undefined }

export async function exportToFile(
  flows: Flows,
  { tenant, out, grantsFor, publicUrl }: ExportOptions,
  print: (value: object) => void,
): Promise<void> {
  const key = grantsFor === undefined ? undefined : await readKey(grantsFor)
  const records = await flows.exportTenant({ caller, actor: operator, tenant }).catch(asStartError)
  // Never over another file, and readable for its owner alone.
  const file = await open(out, 'wx', 0o600).catch(() => Promise.reject(new StartError(`cannot create ${out}`)))
  const counts: Record<string, number> = {}
  const write = async (line: { type: string; data: object }) => {
    counts[line.type] = (counts[line.type] ?? 0) + 1
    await file.write(`${JSON.stringify(line)}\n`)
  }
  try {
    for await (const record of records) await write(recordAnswer(record, publicUrl))
    if (key) await writeGrants(flows, tenant, key, write)
    await write({ type: 'end', data: { ...counts } })
    await file.sync()
  } finally {
    await closed(file)
  }
  print({ tenantId: tenant, file: out, records: counts })
}

const closed = (file: FileHandle) => file.close()

type GrantKey = { key: Awaited<ReturnType<typeof importJWK>>; alg: string; kid: string }

async function writeGrants(
  flows: Flows,
  tenant: string,
  key: GrantKey,
  write: (line: { type: string; data: object }) => Promise<void>,
): Promise<void> {
  for await (const grant of await flows.exportGrants({ actor: operator, tenant, keyThumbprint: key.kid })) {
    const connectionId = grant.connection.id
    if (grant.leftOut) await write({ type: 'grant', data: { connectionId, leftOut: grant.leftOut } })
    else await write({ type: 'grant', data: { connectionId, jwe: await encrypted(grant, key) } })
  }
}

/** RFC 7516: who has the private key reads it, and nobody else, this program included. */
function encrypted(
  { connection, clientId, tokens }: Extract<ExportedGrant, { clientId: string }>,
  { key, alg, kid }: GrantKey,
): Promise<string> {
  const grant = {
    connectionId: connection.id,
    integrationId: connection.integration,
    endUserId: connection.endUserId,
    ...(connection.account && { accountId: connection.account.id }),
    scopes: connection.scopes,
    clientId,
    ...(tokens.refreshToken
      ? { refreshToken: tokens.refreshToken.reveal() }
      : { accessToken: tokens.accessToken.reveal() }),
  }
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(grant)))
    .setProtectedHeader({ alg, enc: 'A256GCM', kid, cty: 'json' })
    .encrypt(key)
}

const algorithms: Record<string, string> = { RSA: 'RSA-OAEP-256', EC: 'ECDH-ES+A256KW', OKP: 'ECDH-ES+A256KW' }

/** What stands in the file is never repeated: somebody may have given a private key by mistake. */
async function readKey(path: string): Promise<GrantKey> {
  const jwk = parsedKey(path)
  if ('d' in jwk)
    throw new StartError(`${path} is a private key: ask the tenant for the public one, and for a new pair`)
  const alg = algorithms[jwk.kty ?? '']
  const refused = new StartError(`${path} must be a public key as a JWK: RSA of 2048 bits or more, EC or X25519`)
  if (!alg) throw refused
  try {
    const key = await importJWK(jwk, alg)
    // RSA keys that are too short and curves that do not fit are found out by using the key.
    await new CompactEncrypt(new Uint8Array(1)).setProtectedHeader({ alg, enc: 'A256GCM' }).encrypt(key)
    return { key, alg, kid: await calculateJwkThumbprint(jwk) }
  } catch {
    throw refused
  }
}

function parsedKey(path: string): JWK {
  try {
    const parsed = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Told below.
  }
  throw new StartError(`${path} must be a file with one JWK in it (RFC 7517)`)
}

function asStartError(error: unknown): never {
  throw error instanceof Failure ? new StartError(error.detail) : error
}
