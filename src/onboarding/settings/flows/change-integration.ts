import type { Actor } from '../../domain/audit/audit.ts'
import { blockedApiHosts, blockedHosts } from '../../domain/doctor/called-addresses.ts'
import { staticFindings } from '../../domain/doctor/static-checks.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { InputError } from '../../domain/input-error.ts'
import { type ConfiguredIntegration, isRefreshedTwice, refreshedTwice } from '../../domain/integration.ts'
import type { NewVersion, SettingsAudit } from '../../domain/ports/integration-settings.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { breaks } from '../../domain/settings-changes/breaking.ts'
import {
  type Entry,
  membersThatDiffer,
  type SettingsVersion,
  withKeptSecret,
} from '../../domain/settings-changes/settings-version.ts'
import { findSettings, type ShownSettings } from './read-settings.ts'

type Change = {
  actor: Actor
  integration: string
  /** The version that the caller has read. */
  ifVersion?: number | undefined
  breakConnections?: boolean | undefined
  reason?: string | undefined
}

export async function putSettings(
  ports: Ports,
  settings: Settings,
  { entry: sent, ...change }: Change & { entry: Entry },
): Promise<ShownSettings> {
  const before = await latestOf(ports, change)
  const entry = withKeptSecret(sent, before?.entry)
  const changedMembers = membersThatDiffer(before?.entry, entry)
  if (before?.entry && changedMembers.length === 0) return findSettings(ports, change.integration)
  const { actor, integration, reason } = change
  const audit = {
    action: 'integration.settings_put',
    actor,
    reason,
    facts: { integrationId: integration, changedMembers },
  }
  return save(ports, settings, change, before, { entry }, audit as SettingsAudit)
}

/** The entry of the file or of the catalogue applies again. */
export async function removeSettings(ports: Ports, settings: Settings, change: Change): Promise<void> {
  const before = await latestOf(ports, change)
  if (!before?.entry) throw new Failure('settings_absent', 'This integration has no settings that were changed by API.')
  const { actor, integration, reason } = change
  const audit = { action: 'integration.settings_removed', actor, reason, facts: { integrationId: integration } }
  await save(ports, settings, change, before, { entry: undefined }, audit as SettingsAudit)
}

/** Repeats an earlier version as a new one, with its secret. */
export async function rollBackSettings(
  ports: Ports,
  settings: Settings,
  { to, ...change }: Change & { to: number },
): Promise<ShownSettings> {
  const { actor, integration, reason } = change
  const before = await latestOf(ports, change)
  const earlier = await ports.settingVersions.find(integration, to)
  if (!earlier) throw missing('version of these settings')
  const changedMembers = membersThatDiffer(before?.entry, earlier.entry)
  const facts = { integrationId: integration, restoredVersion: to, changedMembers }
  const audit = { action: 'integration.settings_rolled_back', actor, reason, facts }
  return save(ports, settings, change, before, { entry: earlier.entry, restores: to }, audit as SettingsAudit)
}

async function latestOf({ settingVersions }: Ports, { integration, ifVersion }: Change) {
  const latest = await settingVersions.latest(integration)
  if (ifVersion !== undefined && ifVersion !== (latest?.version ?? 0)) throw changed(latest)
  return latest
}

const changed = (latest: SettingsVersion | undefined) =>
  new Failure('settings_changed', `The current version is ${latest?.version ?? 0}.`)

async function save(
  ports: Ports,
  settings: Settings,
  { actor, integration, reason, breakConnections = false }: Change,
  before: SettingsVersion | undefined,
  { entry, restores }: Pick<NewVersion, 'entry'> & { restores?: number },
  audit: SettingsAudit,
): Promise<ShownSettings> {
  const configured = entry && readEntry(ports, settings, integration, entry)
  if (!breakConnections) await assertKeepsConnections(ports, integration, configured)
  const change = { subject: integration, entry, actor, reason, restores }
  const saved = await ports.settingVersions.append(change, before?.version ?? 0, audit)
  if (!saved) throw changed(await ports.settingVersions.latest(integration))
  await ports.followSettings()
  return findSettings(ports, integration)
}

/** The rules of the file, and what the doctor finds without asking the app. */
function readEntry(ports: Ports, settings: Settings, integration: string, entry: Entry): ConfiguredIntegration {
  const read = ports.served.read(integration, entry)
  if ('problems' in read) throw requestInvalid(...read.problems)
  const problems = [...misregistered(ports, read.configured), ...refreshers(settings, read.configured)]
  if (problems.length > 0) throw requestInvalid(...problems)
  return read.configured
}

const pointers: Partial<Record<string, string>> = {
  client: '/settings/clientId',
  client_secret: '/settings/clientSecret',
  addresses: '/settings',
}

function misregistered({ mayBeCalled, redirectUri }: Ports, { profile, client }: ConfiguredIntegration): InputError[] {
  const subject = {
    integration: { ...profile, client },
    client,
    tenant: undefined,
    redirectUri: redirectUri(profile.id),
  }
  const blocked = [...blockedHosts(profile, mayBeCalled), ...blockedApiHosts(profile, mayBeCalled)]
  const facts = { blockedHosts: blocked, sameApp: [], openInputs: [], latestLink: undefined }
  return staticFindings(subject, facts).flatMap(({ check, verdict, evidence: detail }) => {
    const pointer = verdict === 'wrong' ? pointers[check] : undefined
    return pointer === undefined ? [] : [{ pointer, detail }]
  })
}

const refreshers = ({ platformRefreshes }: Settings, { profile }: ConfiguredIntegration): InputError[] =>
  platformRefreshes && isRefreshedTwice(profile) ? [{ pointer: '/settings/health', detail: refreshedTwice }] : []

/** Compares with what is served now, which may be the entry of the file. */
async function assertKeepsConnections(
  { integrations, served, settingVersions }: Ports,
  integration: string,
  configured: ConfiguredIntegration | undefined,
): Promise<void> {
  const after = configured ? { ...configured.profile, client: configured.client } : served.withoutSettings(integration)
  const broken = breaks(integrations.find(integration), after)
  const count = broken.length === 0 ? 0 : await settingVersions.connectionsOf(integration)
  if (count === 0) return
  const connections = count === 1 ? '1 connection is affected' : `${count} connections are affected`
  throw new Failure('settings_break_connections', `${connections}. ${broken.join('. ')}.`)
}
