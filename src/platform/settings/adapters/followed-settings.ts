import type pg from 'pg'
import { z } from 'zod'
import { SettingsFeed, settingsFeedPath } from '../../../contract/integrations/settings-feed.ts'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, row, sql } from '../../../kit/database/sql.ts'
import { guardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import type { FollowedSettings, SettingsSource, TaggedFeed } from '../domain/settings.ts'

const id = 'onboarding'

export const postgresFollowedSettings = (pool: pg.Pool, vault: SealedBox): FollowedSettings => ({
  async find(known) {
    const found = await row(
      pool,
      Row,
      sql`select tag, sealed from followed_settings where id = ${id} and tag is distinct from ${known ?? null}`,
    )
    if (!found) return undefined
    const feed = SettingsFeed.parse(JSON.parse(vault.open(found.sealed, sealContext.followedSettings(id)).reveal()))
    return { tag: found.tag, feed }
  },
  async keep({ tag, feed }) {
    const sealed = vault.seal(new Secret(JSON.stringify(feed)), sealContext.followedSettings(id))
    await execute(
      pool,
      sql`insert into followed_settings (id, tag, sealed) values (${id}, ${tag}, ${sealed})
        on conflict (id) do update set tag = excluded.tag, sealed = excluded.sealed, followed_at = now()
        where followed_settings.tag <> excluded.tag`,
    )
  },
})

const Row = z.object({ tag: z.string(), sealed: z.string() })

const maxBytes = 16 * 1024 * 1024

/** The operator names the address, so it may be private. */
export function settingsSource({ url, key }: { url: string; key: Secret }): SettingsSource {
  const { hostname, port, protocol } = new URL(url)
  const allow = [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]
  const fetch = guardedFetch({ allow, maxBytes, timeoutMs: 3_000 })
  return {
    async read(known): Promise<TaggedFeed | undefined> {
      const headers = { authorization: `Bearer ${key.reveal()}`, ...(known && { 'if-none-match': known }) }
      const { status, headers: answered, body } = await fetch(`${url}${settingsFeedPath}`, { headers })
      if (status === 304) return undefined
      const tag = answered.etag
      if (status !== 200 || tag === undefined) throw new Error(`onboarding answered ${status} (SETTINGS_URL)`)
      return { tag, feed: SettingsFeed.parse(JSON.parse(body.toString())) }
    },
    close: fetch.close,
  }
}
