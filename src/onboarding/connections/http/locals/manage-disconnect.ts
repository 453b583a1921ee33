import type { Translator } from '../../../../kit/messages/translator.ts'
import { managePath } from '../../../domain/end-users/manage-session.ts'
import { offersRevocation } from '../../../domain/integration.ts'
import type { ManagedConnectionPage, ManagePage } from '../../flows/manage-connections.ts'
import { cardOf, frameOf } from './manage.ts'

export function disconnectLocals(page: ManagedConnectionPage, translator: Translator) {
  const { session, tenant, connection, integration } = page
  const card = cardOf(page, translator)
  const names = { app: card.app, tenant: tenant.displayName }
  const canRevoke = integration !== undefined && offersRevocation(integration)
  return {
    title: translator.t('manage.disconnectTitle', names),
    ...names,
    ...card,
    consequences: [
      translator.t('manage.disconnectStops', names),
      translator.t(canRevoke ? 'manage.disconnectRevokes' : 'manage.disconnectLeaves', names),
      translator.t('manage.disconnectKept', names),
      translator.t('manage.disconnectAgain', names),
    ],
    back: `${managePath(session.id)}/connections/${connection.id}`,
    ...frameOf({ session, tenant }, translator),
  }
}

export function endedLocals({ session, tenant }: Pick<ManagePage, 'session' | 'tenant'>, translator: Translator) {
  const names = { tenant: tenant.displayName }
  const { expires: _, ...frame } = frameOf({ session, tenant }, translator)
  return { title: translator.t('manage.endedTitle'), text: translator.t('manage.ended', names), ...frame }
}
