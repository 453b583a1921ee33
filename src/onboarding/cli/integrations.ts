import { z } from 'zod'
import { jsonFile } from '../../kit/process/json-setting.ts'
import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import type { Settings } from '../domain/settings.ts'
import { withoutSecret } from '../domain/settings-changes/settings-version.ts'
import { pagesOf } from '../flows/pages-of.ts'
import { putSettings, removeSettings, rollBackSettings } from '../settings/flows/change-integration.ts'
import { findSettings, listVersions, type ShownSettings, type ShownVersion } from '../settings/flows/read-settings.ts'
import { operator, type Print } from './keys.ts'

export type SettingsOptions = {
  'if-version'?: string | undefined
  'break-connections'?: boolean | undefined
  reason?: string | undefined
}

type Given = SettingsOptions & { verb: string; id: string | undefined; third: string | undefined }

type Change = Pick<
  Parameters<typeof removeSettings>[2],
  'actor' | 'integration' | 'ifVersion' | 'breakConnections' | 'reason'
>

type Command = (
  world: { ports: World; settings: Settings; print: Print },
  change: Change,
  third: string | undefined,
) => Promise<'usage' | undefined>

/** "usage" if an argument is missing. */
export async function integrationCommand(
  ports: World,
  settings: Settings,
  { verb, id: integration, third, reason, ...given }: Given,
  print: Print,
): Promise<'usage' | undefined> {
  if (verb === 'list') {
    for (const { id } of ports.integrations.configured()) print(shownSettings(await findSettings(ports, id)))
    return undefined
  }
  const command = commands[verb]
  if (!command || !integration) return 'usage'
  const ifVersion = wholeNumber('--if-version', given['if-version'])
  const change = { actor: operator, integration, reason, ifVersion, breakConnections: given['break-connections'] }
  return command({ ports, settings, print }, change, third)
}

const commands: Record<string, Command> = {
  async get({ ports, print }, { integration }) {
    print(shownSettings(await findSettings(ports, integration)))
    return undefined
  },
  async history({ ports, print }, { integration }) {
    const pages = pagesOf((cursor) => listVersions(ports.settingVersions, { subject: integration, cursor, limit: 200 }))
    for await (const versions of pages) for (const version of versions) print(shownVersion(version))
    return undefined
  },
  async put({ ports, settings, print }, change, file) {
    if (!file) return 'usage'
    print(shownSettings(await putSettings(ports, settings, { ...change, entry: readEntry(file) })))
    return undefined
  },
  async remove({ ports, settings, print }, change) {
    await removeSettings(ports, settings, change)
    print(shownSettings(await findSettings(ports, change.integration)))
    return undefined
  },
  async rollback({ ports, settings, print }, change, version) {
    if (!version) return 'usage'
    const to = wholeNumber('the version', version) ?? 0
    print(shownSettings(await rollBackSettings(ports, settings, { ...change, to })))
    return undefined
  },
}

const shownSettings = ({ integration, source, version, latest }: ShownSettings) => ({
  integration,
  source,
  version,
  ...(latest?.entry && { settings: withoutSecret(latest.entry).shown }),
})

const shownVersion = ({ version, members, entry, actor, reason, restores, changedAt }: ShownVersion) => ({
  version,
  changedAt,
  changedBy: actor,
  reason,
  changedMembers: members,
  restoredVersion: restores,
  removed: entry ? undefined : true,
})

const EntryFile = jsonFile(z.record(z.string(), z.unknown()))

function readEntry(path: string) {
  const read = EntryFile.safeParse(path)
  if (read.success) return read.data
  throw new StartError(read.error.issues.map(({ message }) => `${path} ${message}`))
}

function wholeNumber(what: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new StartError(`${what} must be a whole number`)
  return Number(text)
}
