import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { Kind } from './kind.ts'
import { byOwner, mask, type SecretValues } from './masking.ts'
import type { Vault } from './ports.ts'
import type { Document, Resource } from './resource.ts'

/** By their pointers in the spec. */
const Secrets = z.record(z.string(), z.string())

type Owner = Pick<Resource, 'workspace' | 'id'>

/** Bound to its row: an envelope copied to another resource does not open there. */
const contextOf = ({ workspace, id }: Owner) => `resource|${workspace}|${id}`

export function sealSpec(vault: Vault, kind: Kind, owner: Owner, given: Document, previous?: SecretValues) {
  const { spec, secrets } = mask(given, kind.secrets?.(given) ?? [], previous)
  return { spec, sealed: sealSecrets(vault, owner, secrets) }
}

/** The secrets of a resource, by whom they belong to. */
export const ownedSecrets = (vault: Vault, kind: Kind, resource: Resource): SecretValues =>
  byOwner(openSecrets(vault, resource), kind.secrets?.(resource.spec) ?? [])

export function sealSecrets(vault: Vault, owner: Owner, secrets: SecretValues): string | null {
  if (Object.keys(secrets).length === 0) return null
  return vault.seal(new Secret(JSON.stringify(secrets)), contextOf(owner))
}

export function openSecrets(vault: Vault, resource: Resource): SecretValues {
  if (resource.sealed === null) return {}
  const read = Secrets.safeParse(JSON.parse(vault.open(resource.sealed, contextOf(resource)).reveal()))
  // A plain error: that what we stored cannot be read is no mistake of the caller.
  if (!read.success) throw new Error('sealed secrets cannot be read')
  return read.data
}
