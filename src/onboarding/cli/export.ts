import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { CompactEncrypt, calculateJwkThumbprint, importJWK, type JWK } from 'jose'
import { StartError } from '../../kit/process/start-error.ts'
import type { Deps, Ports } from '../domain/ports/ports.ts'
import { type ExportedGrant, exportGrants } from '../exports/flows/export-grants.ts'
import { exportTenant } from '../exports/flows/export-tenant.ts'
import { recordAnswer } from '../exports/http/tenant-export.ts'
import { caller, operator, type Print } from './keys.ts'

export async function exportToFile(
  { ports, settings }: Deps,
  { tenant, out, grantsFor }: { tenant: string; out: string; grantsFor: string | undefined },
  print: Print,
): Promise<void> {
  const key = grantsFor === undefined ? undefined : await readKey(grantsFor)
  const records = await exportTenant(ports, { caller, actor: operator, tenant })
  // Never overwrites a file; readable by its owner only.
  const file = await open(out, 'wx', 0o600).catch(() => Promise.reject(new StartError(`cannot create ${out}`)))
  const counts: Record<string, number> = {}
  const write = async (line: { type: string; data: object }) => {
    counts[line.type] = (counts[line.type] ?? 0) + 1
    await file.write(`${JSON.stringify(line)}\n`)
  }
  try {
    for await (const record of records) await write(recordAnswer(record, settings.publicUrl))
    if (key) await writeGrants(ports, tenant, key, write)
    await write({ type: 'end', data: { ...counts } })
    await file.sync()
  } finally {
    await file.close()
  }
  print({ tenantId: tenant, file: out, records: counts })
}

type GrantKey = { key: Awaited<ReturnType<typeof importJWK>>; alg: string; kid: string }

async function writeGrants(
  ports: Ports,
  tenant: string,
  key: GrantKey,
  write: (line: { type: string; data: object }) => Promise<void>,
): Promise<void> {
  for await (const grant of await exportGrants(ports, { actor: operator, tenant, keyThumbprint: key.kid })) {
    const connectionId = grant.connection.id
    if (grant.leftOut) await write({ type: 'grant', data: { connectionId, leftOut: grant.leftOut } })
    else await write({ type: 'grant', data: { connectionId, jwe: await encrypted(grant, key) } })
  }
}

/** A JWE (RFC 7516) that only the owner of the private key can read. */
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
    ...(connection.alias !== undefined && { alias: connection.alias }),
    ...(connection.labels && { labels: connection.labels }),
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

/** Errors never contain the file's content, which may be a private key. */
async function readKey(path: string): Promise<GrantKey> {
  const jwk = parsedKey(path)
  if ('d' in jwk)
    throw new StartError(`${path} is a private key: ask the tenant for the public key, and for a new key pair`)
  const alg = algorithms[jwk.kty ?? '']
  const refused = new StartError(`${path} must be a public key as a JWK: RSA of 2048 bits or more, EC or X25519`)
  if (!alg) throw refused
  try {
    const key = await importJWK(jwk, alg)
    // Using the key detects RSA keys that are too short and unsupported curves.
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
    // The error is thrown below.
  }
  throw new StartError(`${path} must contain one JWK (RFC 7517)`)
}
