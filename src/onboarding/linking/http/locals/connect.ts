import type { ConnectOffer } from '../../flows/show-connect-page.ts'
import { requestedPermissions } from './permissions.ts'

export function connectLocals({ session, tenant, integration, connection }: ConnectOffer) {
  return {
    title: `${connection ? 'Reconnect' : 'Connect'} ${integration.displayName} to ${tenant.displayName}`,
    again: connection !== undefined,
    // A tenant or support may ask for a re-link before the old grant fails.
    broken: connection?.status === 'needs_relink',
    account: session.allowOtherAccount ? undefined : connection?.account?.label,
    integration: integration.displayName,
    description: integration.description,
    tenant: tenant.displayName,
    endUser: session.endUser.displayName ?? session.endUser.email ?? session.endUser.id,
    permissions: requestedPermissions(integration),
    returnOrigin: session.returnUrl && new URL(session.returnUrl).host,
    timeLeft: timeLeft(session.expiresAt.getTime() - Date.now()),
  }
}

const minute = 60_000
const units = [
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
] as const

/** In the largest unit of which at least two are left. */
function timeLeft(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms >= 2 * each) ?? units[2]
  const count = Math.max(1, Math.round(ms / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
