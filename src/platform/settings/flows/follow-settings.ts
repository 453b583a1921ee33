import { describeError, type Log } from '../../../kit/process/log.ts'
import type { PlatformEvent } from '../../shared/domain/log-events.ts'
import type { FollowedSettings, SettingsSource, TaggedFeed } from '../domain/settings.ts'

type Needs = {
  source: Pick<SettingsSource, 'read'>
  followed: FollowedSettings
  integrations: { replace(feed: TaggedFeed['feed']): string[] }
  log: Log<PlatformEvent>
}

/** Begins with what was last seen. While onboarding is away, that applies. */
export function followSettings({ source, followed, integrations, log }: Needs) {
  let known: string | undefined
  const use = ({ tag, feed }: TaggedFeed) => {
    const invalid = integrations.replace(feed)
    known = tag
    log('settings.followed', { count: feed.version })
    for (const integration of invalid) log('settings.invalid', { integration })
  }
  let isAway = false
  const noteAway = (error: unknown): 'away' => {
    if (!isAway) log('settings.unreachable', { code: describeError(error) })
    isAway = true
    return 'away'
  }
  return {
    async recall(): Promise<void> {
      const kept = await followed.find(known)
      if (kept) use(kept)
    },
    /** Kept before it is used, so that a restart does not return to older settings. */
    async follow(): Promise<void> {
      const seen = await source.read(known).catch(noteAway)
      if (seen !== 'away') isAway = false
      if (!seen || seen === 'away') return
      await followed.keep(seen)
      use(seen)
    },
  }
}
