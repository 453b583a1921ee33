import type { ConnectOffer } from '../../flows/show-connect-page.ts'
import { requestedPermissions } from './permissions.ts'

/** What the user sent, and what is wrong with it. */
export type SentInputs = { inputs: Readonly<Record<string, string>>; errors?: readonly InputError[] | undefined }
type InputError = { pointer: string; detail: string }

export function connectLocals({ session, tenant, integration, connection }: ConnectOffer, sent?: SentInputs) {
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
    inputs: fields({ session, integration, connection }, sent),
    permissions: requestedPermissions(integration),
    returnOrigin: session.returnUrl && new URL(session.returnUrl).host,
    timeLeft: timeLeft(session.expiresAt.getTime() - Date.now()),
  }
}

/** What the user is asked for: not what the tenant said, or what the connection knows. */
function fields(
  { session, integration, connection }: Pick<ConnectOffer, 'session' | 'integration' | 'connection'>,
  sent: SentInputs = { inputs: {} },
) {
  const known = { ...connection?.config, ...session.inputs }
  return Object.entries(integration.inputs).flatMap(([name, { label, help, example, pattern, as }]) => {
    if (Object.hasOwn(known, name)) return []
    const error = sent.errors?.find(({ pointer }) => pointer === `/inputs/${name}`)?.detail
    // Who pastes an address is not stopped by the browser: the host is taken out of it here.
    return [
      {
        name,
        label,
        help,
        example,
        pattern: as === 'text' ? pattern : undefined,
        value: sent.inputs[name] ?? '',
        error,
      },
    ]
  })
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
