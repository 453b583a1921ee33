import { z } from 'zod'
import { maxKeySeconds } from '../../../contract/control-plane/service-account.ts'
import { reservedWorkspaceNames } from '../../../contract/control-plane/workspace.ts'
import { ResourceName } from '../../../contract/resource.ts'
import { isLoopback } from '../../shared/domain/loopback.ts'

export const Name = ResourceName

export const NewWorkspaceName = Name.refine((name) => !reservedWorkspaceNames.includes(name), 'is reserved')

export const Email = z.email()

export const KeyName = z.string().min(1).max(63)

export const KeySeconds = z.coerce.number().int().min(1).max(maxKeySeconds)

/** https, loopback, or an app's scheme with a dot (RFC 8252 §7.1). Rejected here instead of at the first sign-in. */
export const RedirectUri = z
  .string()
  .refine(isRedirect, 'must be https, http on loopback, or an app scheme such as com.example.app:, without a fragment')

function isRedirect(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:') return isLoopback(hostname)
  return protocol === 'https:' || protocol.includes('.')
}
