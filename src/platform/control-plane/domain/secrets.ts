import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { maskedSecret } from '../../../contract/resource.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { readableOrLost, SealedUnreadable } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import type { Kind } from './kind.ts'
import { byOwner, mask, type SecretValues, unmask } from './masking.ts'
import type { Vault } from './ports.ts'
import type { Document, Resource } from './resource.ts'

const Secrets = z.record(z.string(), z.string())

type Owner = Pick<Resource, 'workspace' | 'id'>

/** Binds the envelope to its row: it can't be opened for another resource. */
const contextOf = ({ workspace, id }: Owner) => sealContext.resource(workspace, id)

/** `made` holds generated secrets by pointer. Only this response shows them. */
export function sealSpec(vault: Vault, kind: Kind, owner: Owner, given: Document, previous: SecretValues = {}) {
  const { whole, made } = complete(kind, given, previous)
  const { spec, secrets } = mask(whole, kind.secrets?.(whole) ?? [], previous)
  return { stored: { spec, sealed: sealSecrets(vault, owner, secrets) }, made }
}

/** A secret omitted from an update is kept, because its receiver already uses it. */
function complete(kind: Kind, given: Document, previous: SecretValues) {
  const missing = kind.missingSecrets?.(given) ?? []
  if (missing.length === 0) return { whole: given, made: {} }
  const masks = Object.fromEntries(missing.map((pointer) => [pointer, maskedSecret]))
  const whole = unmask(given, masks)
  const owned = kind.secrets?.(whole) ?? []
  const unknown = owned.filter(({ pointer, owner }) => missing.includes(pointer) && !Object.hasOwn(previous, owner))
  const made = Object.fromEntries(unknown.map(({ pointer }) => [pointer, randomBytes(32).toString('base64url')]))
  return { whole: unmask(whole, made), made }
}

export const showMade = (resource: Resource, made: SecretValues): Resource => ({
  ...resource,
  spec: unmask(resource.spec, made),
})

/** Empty if the secrets don't decrypt: an update with all secrets succeeds, and one with a mask is rejected. */
export const ownedSecrets = (vault: Vault, kind: Kind, resource: Resource): SecretValues =>
  byOwner(readableOrLost(() => openSecrets(vault, resource)) ?? {}, kind.secrets?.(resource.spec) ?? [])

export function sealSecrets(vault: Vault, owner: Owner, secrets: SecretValues): string | null {
  if (Object.keys(secrets).length === 0) return null
  return vault.seal(new Secret(JSON.stringify(secrets)), contextOf(owner))
}

export function openSecrets(vault: Vault, resource: Owner & Pick<Resource, 'sealed'>): SecretValues {
  if (resource.sealed === null) return {}
  const read = Secrets.safeParse(JSON.parse(vault.open(resource.sealed, contextOf(resource)).reveal()))
  // A plain error: an unreadable stored secret is not the caller's mistake.
  if (!read.success) throw new Error('sealed secrets cannot be read')
  return read.data
}

/** Skips resources whose secrets don't decrypt. The vault logs them. */
export const readableOnly = <T>(found: readonly Resource[], read: (resource: Resource) => T): T[] =>
  found.flatMap((resource) => {
    try {
      return [read(resource)]
    } catch (error) {
      if (error instanceof SealedUnreadable) return []
      throw error
    }
  })
