import type { TextPart, Translator } from '../../../../kit/messages/translator.ts'
import type { ConnectOffer } from '../../flows/show-connect-page.ts'
import { brandLocals } from './brand.ts'
import { requestedPermissions } from './permissions.ts'

export function connectLocals({ session, tenant, integration, connection }: ConnectOffer, translator: Translator) {
  const names = { app: integration.displayName, tenant: tenant.displayName }
  const account = session.allowOtherAccount ? undefined : connection?.account?.label
  return {
    title: translator.t(connection ? 'connect.titleAgain' : 'connect.title', names),
    lead: leadOf(connection, { ...names, account }, translator),
    account,
    ...names,
    endUser: session.endUser.displayName ?? session.endUser.email ?? session.endUser.id,
    permissions: requestedPermissions(integration, translator),
    returnOrigin: session.returnUrl && new URL(session.returnUrl).host,
    ...brandLocals(tenant, translator),
    expires: translator.fromNow(session.expiresAt.getTime() - Date.now()),
  }
}

type LeadNames = { app: string; tenant: string; account: string | undefined }

/** A tenant or support may ask for a re-link before the old grant fails. */
function leadOf(
  connection: ConnectOffer['connection'],
  { account, ...names }: LeadNames,
  { parts }: Translator,
): TextPart[] {
  if (!connection) return parts('connect.lead', names)
  if (connection.status === 'needs_relink') {
    return account === undefined
      ? parts('connect.leadBroken', names)
      : parts('connect.leadBrokenAs', { ...names, account })
  }
  return account === undefined ? parts('connect.leadAgain', names) : parts('connect.leadAgainAs', { ...names, account })
}
