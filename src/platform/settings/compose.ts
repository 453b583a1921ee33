import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Log } from '../../kit/process/log.ts'
import type { Config } from '../config.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { postgresFollowedSettings, settingsSource } from './adapters/followed-settings.ts'
import { followSettings } from './flows/follow-settings.ts'

type Parts = { pool: pg.Pool; vault: SealedBox; log: Log<PlatformEvent> }

/** Serves what was last seen before the first request. */
export async function openFollowedSettings({ integrations, settingsFeed }: Config, { pool, vault, log }: Parts) {
  if (!settingsFeed) return { follow: async () => {}, close: async () => {} }
  const source = settingsSource(settingsFeed)
  const { recall, follow } = followSettings({
    source,
    followed: postgresFollowedSettings(pool, vault),
    integrations,
    log,
  })
  await recall()
  return { follow, close: source.close }
}
