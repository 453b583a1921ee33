import type { Translator } from '../../../../kit/messages/translator.ts'
import { appIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import { type Cause, causeCodes } from '../../../domain/cause.ts'
import { type Connection, lookalikes } from '../../../domain/connection.ts'
import { type ManageSession, managePath } from '../../../domain/end-users/manage-session.ts'
import { offersRevocation } from '../../../domain/integration.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { causeForUser, type Names } from '../../../http/locals/cause-words.ts'
import { brandLocals, wayBack } from '../../../linking/http/locals/brand.ts'
import { expiresSoon, nameOf } from '../../../linking/http/locals/connect.ts'
import { grantedPermissions } from '../../../linking/http/locals/permissions.ts'
import type {
  ManagedConnection,
  ManagedConnectionDetails,
  ManagedConnectionPage,
  ManagePage,
} from '../../flows/manage-connections.ts'

/** Results that the URL may name. Each maps to a fixed message, because users can edit the URL. */
export const disconnectResults = ['disconnected', 'disconnecting'] as const
export const relinkResults = ['linked', 'pending', ...causeCodes] as const
type DisconnectResult = (typeof disconnectResults)[number]
type RelinkResult = (typeof relinkResults)[number]

export function manageLocals(
  { session, tenant, connections }: ManagePage,
  translator: Translator,
  result: DisconnectResult | undefined,
) {
  const { t } = translator
  const tenantName = tenant.displayName
  const alike = lookalikes(connections.map(({ connection }) => connection))
  return {
    title: t('manage.title', { tenant: tenantName }),
    tenant: tenantName,
    end: {
      href: `${managePath(session.id)}/end`,
      label: session.returnUrl ? t('page.back', { tenant: tenantName }) : t('manage.end'),
    },
    endUser: nameOf(session.endUser),
    notice: result && noticeOf(result, { app: '', tenant: tenantName }, translator),
    connections: connections.map((managed) => ({
      ...cardOf(managed, translator),
      state: stateOf(managed.connection, translator),
      difference: differenceOf(managed.connection, alike.has(managed.connection.id), translator),
      href: `${managePath(session.id)}/connections/${managed.connection.id}`,
    })),
    ...frameOf({ session, tenant }, translator),
  }
}

export function managedLocals(
  page: ManagedConnectionDetails,
  translator: Translator,
  result: RelinkResult | undefined,
) {
  const { session, connection, integration, tenant, calls, checks, mayRelink } = page
  const { t } = translator
  const card = cardOf(page, translator)
  const names = { app: card.app, tenant: tenant.displayName }
  const at = `${managePath(session.id)}/connections/${connection.id}`
  const ago = (time: Date) => agoIn(translator, time)
  return {
    title: card.app,
    ...names,
    ...card,
    state: stateOf(connection, translator),
    notice: result && noticeOf(result, names, translator),
    cause: connection.cause && causeForUser(connection.cause, names, translator),
    permissions: grantedPermissions(connection.scopes, integration, translator),
    since: ago(connection.createdAt),
    checkedAt: checks[0] && ago(checks[0].at),
    calls: calls?.map(({ at: time, tool, caller, succeeded }) => ({
      when: ago(time),
      time: time.toISOString(),
      tool: wordsOfTool(tool),
      caller,
      outcome: t(succeeded ? 'manage.callWorked' : 'manage.callFailed'),
    })),
    relink: integration && mayRelink ? `${at}/relink` : undefined,
    relinkElsewhere: integration && !mayRelink ? t('manage.relinkElsewhere', { tenant: names.tenant }) : undefined,
    disconnect: `${at}/disconnect`,
    back: managePath(session.id),
    ...frameOf({ session, tenant }, translator),
  }
}

const agoIn = ({ fromNow }: Translator, time: Date) => fromNow(Math.min(-1, time.getTime() - Date.now()))

/** The alias is the tenant's name for the account. */
function differenceOf(connection: Connection, isAlike: boolean, translator: Translator) {
  const { alias, createdAt, functionName } = connection
  if (alias !== undefined) return alias
  return isAlike
    ? translator.t('manage.difference', { when: agoIn(translator, createdAt), name: functionName })
    : undefined
}

/** "list_events" and "listEvents" are both "List events". */
function wordsOfTool(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

function cardOf({ connection, integration }: ManagedConnection, { t }: Translator) {
  const app = integration?.displayName ?? connection.integration
  const icon = integration ? appIcon(integration) : monogram(app)
  return { app, icon, account: connection.account?.label ?? t('manage.accountUnknown') }
}

function stateOf({ status, healthUnknownSince, grantEndsAt }: Connection, { t }: Translator) {
  if (status === 'needs_relink') return { status: 'failed', text: t('manage.stateBroken') }
  if (status === 'not_linked') return { status: 'none', text: t('manage.stateNotLinked') }
  if (grantEndsAt) return { status: 'needs_attention', text: t('manage.stateEnding') }
  if (healthUnknownSince) return { status: 'needs_attention', text: t('manage.stateUnknown') }
  return { status: 'linked', text: t('manage.stateWorking') }
}

const goodNotices: Partial<
  Record<DisconnectResult | RelinkResult, { kind: string; title: string; continues: boolean }>
> = {
  linked: { kind: 'success', title: 'manage.linked', continues: false },
  disconnected: { kind: 'success', title: 'manage.disconnected', continues: false },
  pending: { kind: 'info', title: 'manage.pending', continues: true },
  disconnecting: { kind: 'info', title: 'manage.disconnecting', continues: true },
}

function noticeOf(result: DisconnectResult | RelinkResult, names: Names, translator: Translator) {
  const { t } = translator
  const good = goodNotices[result]
  if (good) return { kind: good.kind, title: t(good.title), text: good.continues ? t('manage.goesOn') : undefined }
  const { title, userAdvice } = causeForUser(result as Cause, names, translator)
  return { kind: 'warning', title, text: userAdvice }
}

function frameOf({ session, tenant }: Pick<ManagePage, 'tenant'> & { session: ManageSession }, translator: Translator) {
  return {
    testMode: isTestTenant(tenant.id),
    ...brandLocals(tenant, translator),
    expires: expiresSoon(session, translator),
  }
}

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
  return {
    title: translator.t('manage.endedTitle'),
    text: translator.t('manage.ended', names),
    returnTo: wayBack(tenant, session.returnUrl, translator),
    ...frame,
  }
}
