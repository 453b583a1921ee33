import type { EntryOf } from '../audit/audit-entry.ts'
import type { Connection } from '../connection.ts'
import type { InputError } from '../input-error.ts'
import type { ConfiguredIntegration, Integration, OAuthClient } from '../integration.ts'
import type { Entry, PlacedPolicy, SettingsVersion } from '../settings-changes/settings-version.ts'
import type { EffectivePolicy } from '../settings-changes/tool-policy.ts'
import type { Page } from './shared.ts'

export type NewVersion = Pick<SettingsVersion, 'subject' | 'entry' | 'actor' | 'reason' | 'restores'>

/** The versions of one kind of setting. */
export type VersionStore = {
  latest(subject: string): Promise<SettingsVersion | undefined>
  find(subject: string, version: number): Promise<SettingsVersion | undefined>
  /** Newest first. */
  history(query: { subject: string; cursor: string | undefined; limit: number }): Promise<Page<SettingsVersion>>
  /** Returns undefined if `base` is no longer the latest version of the subject. */
  append(change: NewVersion, base: number, audit: SettingsAudit): Promise<SettingsVersion | undefined>
}

export type SettingVersions = VersionStore & {
  /** The newest version of the deployment, of any kind, 0 before the first. */
  newest(): Promise<number>
  /** The newest version of each integration, including removed ones, with all other clients it ever had. */
  current(): Promise<Array<{ version: SettingsVersion; earlierClients: OAuthClient[] }>>
  /** Linked connections that use the client of the deployment. */
  connectionsOf(integration: string): Promise<number>
}

/** Of tenants and connections. */
export type ToolPolicies = VersionStore & {
  /** With the places on the platform where they apply. */
  placed(): Promise<PlacedPolicy[]>
}

export type SettingsAudit =
  | EntryOf<'integration.settings_put'>
  | EntryOf<'integration.settings_removed'>
  | EntryOf<'integration.settings_rolled_back'>
  | EntryOf<'tenant.tool_policy_put' | 'tenant.tool_policy_removed'>
  | EntryOf<'connection.tool_policy_put' | 'connection.tool_policy_removed'>

/** The integrations that this process serves: the file, and over it what the ledger has. */
export type ServedIntegrations = {
  read(integration: string, entry: Entry): { configured: ConfiguredIntegration } | { problems: InputError[] }
  /** At once: a request sees all changes or none. Returns the integrations whose entry is no longer valid. */
  replace(changes: ReadonlyArray<{ version: SettingsVersion; earlierClients: OAuthClient[] }>): string[]
  /** That of the file or the catalogue. */
  withoutSettings(integration: string): Integration | undefined
  isInFile(integration: string): boolean
}

export type PlatformPolicies = {
  /** Undefined if the platform has no policies, or not this connection. */
  effective(connection: Pick<Connection, 'workspace' | 'name'>): Promise<EffectivePolicy | undefined>
}

/** Reads the ledger and serves what it has. Cheap if nothing has changed. Returns the feed of the platform as JSON. */
export type FollowSettings = () => Promise<{ text: string; tag: string }>

export type IntegrationSettingsPorts = {
  settingVersions: SettingVersions
  toolPolicies: ToolPolicies
  platformPolicies: PlatformPolicies
  served: ServedIntegrations
  followSettings: FollowSettings
  /** Public and with TLS, or allowed by the operator. */
  mayBeCalled(address: string): boolean
}
