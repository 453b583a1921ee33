import { z } from 'zod'
import { longestKeySeconds } from '../../../contract/control-plane/service-account.ts'
import { reservedWorkspaceNames } from '../../../contract/control-plane/workspace.ts'
import { ResourceName } from '../../../contract/resource.ts'
import { isLoopback } from '../../shared/domain/loopback.ts'

/** Accounts and workspaces are named as resources are. */
export const Name = ResourceName

export const NewWorkspaceName = Name.refine(
  (name) => !reservedWorkspaceNames.includes(name),
  'is an address of the platform itself',
)

export const Email = z.email()

export const KeyName = z.string().min(1).max(63)

export const KeySeconds = z.coerce.number().int().min(1).max(longestKeySeconds)

/**
 * Where a browser may be sent with a code: over TLS, to this machine, or to an app that owns a scheme with a dot in it
 * (RFC 8252, section 7.1). Whatever else is refused here, and not when the first user comes back.
 */
export const RedirectUri = z
  .string()
  .refine(
    isRedirect,
    'must be https, http on this machine, or a scheme of an app such as com.example.app:, without a fragment',
  )

function isRedirect(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:') return isLoopback(hostname)
  return protocol === 'https:' || protocol.includes('.')
}
