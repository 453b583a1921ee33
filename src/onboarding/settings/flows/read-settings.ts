import { missing } from '../../domain/failure.ts'
import type { VersionStore } from '../../domain/ports/integration-settings.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { type Entry, membersThatDiffer, type SettingsVersion } from '../../domain/settings-changes/settings-version.ts'

export const settingsSources = ['api', 'file', 'catalogue'] as const

export type ShownSettings = {
  integration: string
  source: (typeof settingsSources)[number]
  /** 0 if they were never changed by API. */
  version: number
  latest: SettingsVersion | undefined
}

export async function findSettings(ports: Ports, integration: string): Promise<ShownSettings> {
  const latest = await ports.settingVersions.latest(integration)
  const source = latest?.entry ? 'api' : ports.served.isInFile(integration) ? 'file' : 'catalogue'
  if (!latest && !ports.integrations.find(integration)) throw missing('integration')
  return { integration, source, version: latest?.version ?? 0, latest }
}

export type ShownVersion = SettingsVersion & { members: string[] }

/** `members`: compared with the version before. */
export async function listVersions(
  store: Pick<VersionStore, 'history'>,
  { subject, cursor, limit }: { subject: string; cursor?: string | undefined; limit: number },
): Promise<Page<ShownVersion>> {
  const { data, nextCursor } = await store.history({ subject, cursor, limit })
  const oldest = data.at(-1)
  const before = oldest && nextCursor ? await earlier(store, subject, oldest.version) : undefined
  const shown = data.map((each, at) => ({
    ...each,
    members: membersThatDiffer(entryOf(data[at + 1] ?? before), each.entry),
  }))
  return { data: shown, nextCursor }
}

const entryOf = (version: SettingsVersion | undefined): Entry | undefined => version?.entry

async function earlier(store: Pick<VersionStore, 'history'>, subject: string, version: number) {
  const { data } = await store.history({ subject, cursor: String(version), limit: 1 })
  return data[0]
}
