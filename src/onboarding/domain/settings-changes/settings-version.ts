import type { Actor } from '../audit/audit.ts'

export { type PlacedPolicy, type SettingsFeed, settingsFeedPath } from '../../../contract/integrations/settings-feed.ts'

/** An entry as in the integrations file, with the client's secret. */
export type Entry = Readonly<Record<string, unknown>>

export type SettingsVersion = {
  version: number
  /** The ID of the integration. For a tool policy: `tenant/`, `connection/` or `login/` and the ID. */
  subject: string
  /** Undefined: removed. */
  entry: Entry | undefined
  actor: Pick<Actor, 'kind' | 'id' | 'name'>
  reason: string | undefined
  restores: number | undefined
  changedAt: Date
}

export function withoutSecret({ clientSecret, ...shown }: Entry): { shown: Entry; hasClientSecret: boolean } {
  return { shown, hasClientSecret: clientSecret !== undefined }
}

/** A secret that is not sent stays, as long as the client is the same. `null` removes it. */
export function withKeptSecret({ clientSecret, ...entry }: Entry, before: Entry | undefined): Entry {
  if (clientSecret === null) return entry
  if (clientSecret !== undefined) return { ...entry, clientSecret }
  const isSameClient = before?.clientId !== undefined && before.clientId === entry.clientId
  return isSameClient && before.clientSecret !== undefined ? { ...entry, clientSecret: before.clientSecret } : entry
}

/** Names of the members that differ. */
export function membersThatDiffer(before: Entry = {}, after: Entry = {}): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort()
}
