import type { Condition } from './errors.ts'
import type { Client, Instance } from './instance.ts'

export type Credentials = { id: string | undefined; secret: string | undefined; by: 'post' | 'basic' | 'none' }

export function knownClient(instance: Instance, id: string | undefined): Client | undefined {
  const client = instance.clients.get(id ?? '')
  const { clients, client_lifetime: lifetime } = instance.switches
  if (!client || (clients === 'forgotten' && client.registeredAt === undefined)) return undefined
  const age = (instance.now() - (client.registeredAt ?? Number.POSITIVE_INFINITY)) / 1_000
  return lifetime !== undefined && age >= lifetime ? undefined : client
}

/** Checks the app without its secret. */
export function appCondition(instance: Instance, id: string | undefined): Condition | undefined {
  const { app } = instance.switches
  if (!knownClient(instance, id)) return 'client_unknown'
  if (app === 'deleted') return 'app_deleted'
  return app === 'suspended' ? 'app_suspended' : undefined
}

export function clientCondition(instance: Instance, sent: Credentials): Condition | undefined {
  const about = appCondition(instance, sent.id)
  if (about) return about
  const { client_authentication: way, client_secret: secret } = instance.switches
  const expected = knownClient(instance, sent.id)?.secret
  if (way !== 'any' && way !== sent.by) return 'secret_wrong'
  if (way === 'none') return undefined
  if (sent.secret !== expected) return 'secret_wrong'
  return secret === 'expired' ? 'secret_expired' : undefined
}

export function redirectCondition(instance: Instance, client: Client, uri: string): Condition | undefined {
  const { redirect_uri: rule, callback_rules: form } = instance.switches
  const isTaken = rule === 'any' || (rule === 'registered' && client.redirectUris.includes(uri))
  const isSound = URL.canParse(uri) && (form !== 'https_only' || uri.startsWith('https:'))
  return isTaken && isSound ? undefined : 'redirect_uri_mismatch'
}
