import type { TextPart, Translator } from '../../../../kit/messages/translator.ts'
import { appIcon } from '../../../domain/catalogue/app-icon.ts'
import { askedInputs } from '../../../domain/catalogue/integration-values.ts'
import { inputPointer } from '../../../domain/input-error.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { ConnectOffer } from '../../flows/show-connect-page.ts'
import { brandLocals, tenantIcon, wordingLocals } from './brand.ts'
import { type Permission, requestedPermissions } from './permissions.ts'

export type SentInputs = { inputs: Readonly<Record<string, string>>; errors?: readonly InputError[] | undefined }
type InputError = { pointer: string; detail: string }

export type ShownOffer = {
  session: Pick<
    ConnectOffer['session'],
    'endUser' | 'returnUrl' | 'allowOtherAccount' | 'choices' | 'inputs' | 'expiresAt'
  >
  tenant: Pick<ConnectOffer['tenant'], 'id' | 'displayName' | 'branding' | 'logos'>
  integration: Pick<
    ConnectOffer['integration'],
    'id' | 'displayName' | 'icon' | 'color' | 'about' | 'scopes' | 'inputs' | 'mcpUrl'
  >
  connection: Pick<NonNullable<ConnectOffer['connection']>, 'status' | 'account' | 'config'> | undefined
}

export function connectLocals(
  { session, tenant, integration, connection }: ShownOffer,
  translator: Translator,
  sent?: SentInputs,
) {
  const names = { app: integration.displayName, tenant: tenant.displayName }
  const account = session.allowOtherAccount ? undefined : connection?.account?.label
  return {
    title: translator.t(isLinked(connection) ? 'connect.titleAgain' : 'connect.title', names),
    lead: leadOf(connection, { ...names, account }, translator),
    ...names,
    icons: { app: appIcon(integration), tenant: tenantIcon(tenant) },
    testMode: isTestTenant(tenant.id),
    facts: factsOf(session, translator),
    inputs: fields({ session, integration, connection }, translator, sent),
    permissions: permissionsOf(integration, names, translator),
    otherApp: session.choices && '?',
    cancel: session.choices ? `?${new URLSearchParams({ cancel: '', app: integration.id })}` : '?cancel',
    ...brandLocals(tenant, translator),
    wording: wordingLocals(tenant.branding.wording, translator),
    expires: expiresSoon(session, translator),
  }
}

function factsOf({ endUser, returnUrl }: ShownOffer['session'], { parts }: Translator): TextPart[][] {
  const name = nameOf(endUser)
  const host = returnUrl && new URL(returnUrl).host
  return [
    ...(name === undefined ? [] : [parts('connect.for', { endUser: name })]),
    ...(host ? [parts('connect.returnTo', { host })] : []),
  ]
}

/** The ID means nothing to the user. */
export const nameOf = ({ displayName, email }: ShownOffer['session']['endUser']): string | undefined =>
  displayName ?? email

const soonMs = 5 * 60_000

export function expiresSoon({ expiresAt }: Pick<ConnectOffer['session'], 'expiresAt'>, { t, fromNow }: Translator) {
  const leftMs = expiresAt.getTime() - Date.now()
  return leftMs > soonMs ? undefined : t('connect.expires', { when: fromNow(leftMs) })
}

function permissionsOf(
  integration: ShownOffer['integration'],
  names: { app: string },
  translator: Translator,
): Permission[] {
  const requested = requestedPermissions(integration, translator)
  if (integration.mcpUrl === undefined || requested.length > 0) return requested
  return [{ text: translator.t('connect.useTools', names), lang: undefined, access: 'write' }]
}

function fields(
  { session, integration, connection }: Pick<ShownOffer, 'session' | 'integration' | 'connection'>,
  { t, phrase }: Translator,
  sent: SentInputs = { inputs: {} },
) {
  const known = { ...connection?.config, ...session.inputs }
  return askedInputs(integration, known).map(([name, { label, help, example, pattern, as }]) => {
    const value = sent.inputs[name] ?? ''
    const isWrong = sent.errors?.some(({ pointer }) => pointer === inputPointer(name))
    const error = isWrong ? t(...inputErrorOf(value, example)) : undefined
    // No pattern for addresses: users may paste a URL, and the server cuts out what it needs.
    return {
      name,
      label: phrase(label),
      help: help === undefined ? undefined : phrase(help),
      example,
      pattern: as === 'text' ? pattern : undefined,
      value,
      error,
    }
  })
}

const inputErrorOf = (value: string, example: string | undefined): Parameters<Translator['t']> => {
  if (value === '') return ['connect.inputRequired']
  return example === undefined ? ['connect.inputInvalid'] : ['connect.inputLike', { example }]
}

const isLinked = (connection: ShownOffer['connection']): boolean =>
  connection !== undefined && connection.status !== 'not_linked'

type LeadNames = { app: string; tenant: string; account: string | undefined }

function leadOf(
  connection: ShownOffer['connection'],
  { account, ...names }: LeadNames,
  { parts }: Translator,
): TextPart[] {
  if (!connection || !isLinked(connection)) return parts('connect.lead', names)
  if (connection.status === 'needs_relink') {
    return account === undefined
      ? parts('connect.leadBroken', names)
      : parts('connect.leadBrokenAs', { ...names, account })
  }
  return account === undefined ? parts('connect.leadAgain', names) : parts('connect.leadAgainAs', { ...names, account })
}
