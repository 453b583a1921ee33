import type { SettingsFeed } from '../../../contract/integrations/settings-feed.ts'

/** `tag`: another one for other content. */
export type TaggedFeed = { tag: string; feed: SettingsFeed }

/** What was last seen, for all processes. */
export type FollowedSettings = {
  /** Returns undefined if it is the known one, or if none was seen yet. */
  find(known: string | undefined): Promise<TaggedFeed | undefined>
  keep(seen: TaggedFeed): Promise<void>
}

export type SettingsSource = {
  /** Returns undefined if it has not changed. */
  read(known: string | undefined): Promise<TaggedFeed | undefined>
  close(): Promise<void>
}
