import type { ConnectOffer } from '../../flows/show-connect-page.ts'
import { askedPermissions } from './permissions.ts'

export function connectLocals({ session, tenant, integration, connection }: ConnectOffer) {
  return {
    title: `${connection ? 'Reconnect' : 'Connect'} ${integration.displayName} to ${tenant.displayName}`,
    again: connection !== undefined,
    // Support may ask for a new grant before the old one fails, and the tenant may as well.
    broken: connection?.status === 'needs_relink',
    account: session.allowOtherAccount ? undefined : connection?.account?.label,
    integration: integration.displayName,
    description: integration.description,
    tenant: tenant.displayName,
    endUser: session.endUser.displayName ?? session.endUser.email ?? session.endUser.id,
    permissions: askedPermissions(integration),
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

/** In the largest unit that there are two of. */
function timeLeft(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms >= 2 * each) ?? units[2]
  const count = Math.max(1, Math.round(ms / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
