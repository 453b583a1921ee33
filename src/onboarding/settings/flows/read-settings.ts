import { missing } from '../../domain/failure.ts'
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
export async function listSettingsVersions(
  { settingVersions }: Ports,
  { integration, cursor, limit }: { integration: string; cursor: string | undefined; limit: number },
): Promise<Page<ShownVersion>> {
  const { data, nextCursor } = await settingVersions.history({ subject: integration, cursor, limit })
  const oldest = data.at(-1)
  const before = oldest && nextCursor ? await earlier({ settingVersions }, integration, oldest.version) : undefined
  const shown = data.map((each, at) => ({
    ...each,
    members: membersThatDiffer(entryOf(data[at + 1] ?? before), each.entry),
  }))
  return { data: shown, nextCursor }
}

const entryOf = (version: SettingsVersion | undefined): Entry | undefined => version?.entry

async function earlier({ settingVersions }: Pick<Ports, 'settingVersions'>, integration: string, version: number) {
  const { data } = await settingVersions.history({ subject: integration, cursor: String(version), limit: 1 })
  return data[0]
}
