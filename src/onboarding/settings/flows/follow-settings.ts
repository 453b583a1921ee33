import { createHash } from 'node:crypto'
import type { Log } from '../../../kit/process/log.ts'
import type {
  FollowSettings,
  ServedIntegrations,
  SettingVersions,
  ToolPolicies,
} from '../../domain/ports/integration-settings.ts'
import type { SettingsFeed } from '../../domain/settings-changes/settings-version.ts'

type Needs = {
  settingVersions: Pick<SettingVersions, 'newest' | 'current'>
  toolPolicies: Pick<ToolPolicies, 'placed'>
  served: Pick<ServedIntegrations, 'replace' | 'isInFile'>
  log: Log<'settings.followed' | 'settings.invalid' | 'settings.file_ignored'>
  now(): number
}

/** A tenant may get another workspace. */
const placedMs = 30_000

type Current = Awaited<ReturnType<SettingVersions['current']>>

/** One at a time, so that an older reading never replaces a newer one. */
export function followSettings({ settingVersions, toolPolicies, served, log, now }: Needs): FollowSettings {
  let known = 0
  let entries: SettingsFeed['integrations'] = []
  let feed = tagged({ version: 0, integrations: [], policies: [] })
  let placedAt = now()
  let turn: Promise<unknown> = Promise.resolve()
  let ignored = new Set<string>()
  const follow = async () => {
    const newest = await settingVersions.newest()
    // A restored ledger may have an older version than the one known.
    const isChanged = newest !== known
    if (!isChanged && (newest === 0 || now() - placedAt < placedMs)) return feed
    if (isChanged) entries = feedEntries(await serve(newest))
    placedAt = now()
    feed = tagged({ version: newest, integrations: entries, policies: await toolPolicies.placed() })
    known = newest
    return feed
  }
  const serve = async (newest: number) => {
    const current = await settingVersions.current()
    const invalid = served.replace(current)
    log('settings.followed', { count: newest })
    for (const integration of invalid) {
      log('settings.invalid', { integration, detail: 'This release rejects them. Save them again.' })
    }
    const overridden = current.flatMap(({ version: { subject, entry } }) =>
      entry && served.isInFile(subject) && !invalid.includes(subject) ? subject : [],
    )
    for (const integration of overridden) if (!ignored.has(integration)) log('settings.file_ignored', { integration })
    ignored = new Set(overridden)
    return current
  }
  return () => {
    const next = turn.catch(() => undefined).then(follow)
    turn = next
    return next
  }
}

const feedEntries = (current: Current): SettingsFeed['integrations'] =>
  current.flatMap(({ version: { subject: id, entry } }) => {
    if (!entry) return []
    const { clientId: _, clientSecret: __, ...shown } = entry
    return [{ id, entry: shown }]
  })

const tagged = (feed: SettingsFeed) => {
  const text = JSON.stringify(feed)
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}
