import { z } from 'zod'
import { withoutSecret } from '../../domain/settings-changes/settings-version.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, reason, time } from '../../http/schemas.ts'
import { putSettings, removeSettings, rollBackSettings } from '../flows/change-integration.ts'
import {
  findSettings,
  listVersions,
  type ShownSettings,
  type ShownVersion,
  settingsSources,
} from '../flows/read-settings.ts'

const Entry = z.record(z.string(), z.unknown()).meta({
  description:
    'An entry as in the integrations file: `profile` and overrides, or a whole profile, with `clientId` and `clientSecret`. A `clientSecret` that is not sent stays if `clientId` is the same; `null` removes it. It is never returned.',
})

export const ifVersion = z.int().min(0).optional().meta({
  description: 'The version that you read; 0 if there was none. Another one is answered with 409.',
})

export const repeatedVersion = z.int().min(1).meta({ description: 'The version to repeat.' })

const breakConnections = z.boolean().optional().meta({
  description: 'Saves although existing connections are affected. The problem `settings_break_connections` says how.',
})

const PutBody = z.strictObject({ settings: Entry, ifVersion, breakConnections, reason: reason.optional() }).meta({
  id: 'IntegrationSettingsRequest',
  description: 'New settings of an integration. They replace the current ones as a whole.',
  examples: [{ settings: { profile: 'gmail', clientId: '1234.apps.example', clientSecret: 'GOCSPX-…' }, ifVersion: 3 }],
})

const RollbackBody = z
  .strictObject({
    version: repeatedVersion,
    ifVersion,
    breakConnections,
    reason: reason.optional(),
  })
  .meta({
    id: 'SettingsRollbackRequest',
    description: 'Which version to repeat as a new one.',
    examples: [{ version: 3, reason: 'the new client was not verified' }],
  })

const inQuery = (words: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: words })

const RemoveQuery = z.strictObject({
  ifVersion: z.coerce.number().int().min(0).optional().meta({ description: 'The version that you read.' }),
  breakConnections: inQuery('Removes although existing connections are affected.'),
  reason: reason.optional(),
})

export const VersionsQuery = z.strictObject({ cursor: after(/^\d{1,15}$/), limit })

export const ChangedBy = z
  .strictObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() })
  .meta({ description: 'The actor, as in the audit log.' })

export const changedAt = time.meta({ description: 'When this version was saved.' })

export const restoredVersion = z.int().optional().meta({ description: 'The earlier version that this one repeats.' })

export const changedMembers = z.array(z.string()).meta({ description: 'Members that differ from the version before.' })

const versionShape = {
  version: z.int().meta({ description: 'Counts all changes of the deployment.' }),
  settings: Entry.optional().meta({ description: 'Without `clientSecret`. Absent if the settings were removed.' }),
  hasClientSecret: z.boolean().meta({ description: 'Whether a client secret is stored.' }),
  changedAt,
  changedBy: ChangedBy,
  reason: z.string().optional(),
  restoredVersion,
}

const exampleVersion = {
  version: 4,
  settings: { profile: 'gmail', clientId: '1234.apps.example' },
  hasClientSecret: true,
  changedAt: '2026-11-15T09:30:02.000Z',
  changedBy: { kind: 'api_key', id: 'key_06gxyqh2m6p0r4t8w1x5y9z3a7' },
}

const SettingsAnswer = z
  .strictObject({
    integrationId: z.string(),
    source: z.enum(settingsSources).meta({
      description:
        'Which entry applies. `api`: these settings. `file`: that of the integrations file. `catalogue`: the shipped profile, without a client.',
    }),
    ...versionShape,
    version: z.int().meta({ description: '0 if the settings were never changed by API.' }),
    hasClientSecret: versionShape.hasClientSecret.optional(),
    changedAt: changedAt.optional(),
    changedBy: ChangedBy.optional(),
  })
  .meta({
    id: 'IntegrationSettings',
    description: 'The settings of an integration, without secrets.',
    examples: [{ integrationId: 'gmail', source: 'api', ...exampleVersion }],
  })

const VersionAnswer = z
  .strictObject({
    ...versionShape,
    changedMembers,
  })
  .meta({
    id: 'IntegrationSettingsVersion',
    description: 'A version of the settings of an integration, without secrets. It never changes.',
    examples: [{ ...exampleVersion, changedMembers: ['clientId', 'clientSecret'] }],
  })

type Shape = z.input<typeof SettingsAnswer>

function versionAnswer({ version, entry, actor, reason, restores, changedAt }: Omit<ShownVersion, 'members'>) {
  const { shown, hasClientSecret } = withoutSecret(entry ?? {})
  const { kind, id, name } = actor
  return {
    version,
    ...(entry && { settings: shown as Shape['settings'] }),
    hasClientSecret,
    changedAt: changedAt.toISOString(),
    changedBy: { kind, ...(id && { id }), ...(name && { name }) },
    ...(reason !== undefined && { reason }),
    ...(restores !== undefined && { restoredVersion: restores }),
  }
}

const settingsAnswer = ({ integration, source, version, latest }: ShownSettings): Shape => ({
  integrationId: integration,
  source,
  ...(latest ? versionAnswer(latest) : { version }),
})

const ofRoute = {
  tag: 'Integrations',
  purpose: 'settings',
  params: { integrationId: Id },
} as const

const changeFailures = ['settings_changed', 'settings_break_connections'] as const

export const integrationSettingsRoutes = [
  route({
    ...ofRoute,
    method: 'get',
    path: '/integrations/{integrationId}/settings',
    operationId: 'readIntegrationSettings',
    client: 'integrations.getSettings',
    summary: 'Get the settings of an integration',
    description: 'For operators, with a key for settings.',
    answers: { 200: SettingsAnswer },
    handle: async ({ ports, params: { integrationId } }) => ({
      status: 200,
      body: settingsAnswer(await findSettings(ports, integrationId)),
    }),
  }),
  route({
    ...ofRoute,
    method: 'put',
    path: '/integrations/{integrationId}/settings',
    operationId: 'putIntegrationSettings',
    client: 'integrations.putSettings',
    summary: 'Create or replace the settings of an integration',
    description:
      'They are checked like an entry of the integrations file, and apply within seconds in all processes. Links in progress finish with the client that they began with.',
    body: PutBody,
    answers: { 200: SettingsAnswer },
    failures: changeFailures,
    handle: async ({ ports, settings, actor, params: { integrationId: integration }, body }) => {
      const { settings: entry, ...change } = body
      return {
        status: 200,
        body: settingsAnswer(await putSettings(ports, settings, { actor, integration, entry, ...change })),
      }
    },
  }),
  route({
    ...ofRoute,
    method: 'delete',
    path: '/integrations/{integrationId}/settings',
    operationId: 'deleteIntegrationSettings',
    client: 'integrations.deleteSettings',
    summary: 'Delete the settings of an integration',
    description: 'The entry of the integrations file or of the catalogue applies again. The history is kept.',
    query: RemoveQuery,
    answers: { 204: undefined },
    failures: [...changeFailures, 'settings_absent'],
    handle: async ({ ports, settings, actor, params: { integrationId: integration }, query }) => {
      await removeSettings(ports, settings, { actor, integration, ...query })
      return { status: 204 }
    },
  }),
  route({
    ...ofRoute,
    method: 'get',
    path: '/integrations/{integrationId}/settings/versions',
    operationId: 'listIntegrationSettingsVersions',
    client: 'integrations.listSettingsVersions',
    summary: 'List the versions of the settings',
    description: 'Newest first: who changed what, when and why.',
    query: VersionsQuery,
    answers: { 200: listOf(VersionAnswer) },
    handle: async ({ ports, params: { integrationId: subject }, query }) => {
      const page = await listVersions(ports.settingVersions, { subject, ...query })
      const answer = ({ members, ...version }: ShownVersion) => ({ ...versionAnswer(version), changedMembers: members })
      return { status: 200, body: listAnswer(page, answer) }
    },
  }),
  route({
    ...ofRoute,
    method: 'post',
    path: '/integrations/{integrationId}/settings/rollback',
    operationId: 'rollBackIntegrationSettings',
    client: 'integrations.rollBackSettings',
    summary: 'Roll back the settings of an integration',
    description: 'Repeats an earlier version as a new one, with its secret. The checks of a change apply.',
    body: RollbackBody,
    answers: { 200: SettingsAnswer },
    failures: [...changeFailures, 'not_found'],
    handle: async ({
      ports,
      settings,
      actor,
      params: { integrationId: integration },
      body: { version: to, ...change },
    }) => ({
      status: 200,
      body: settingsAnswer(await rollBackSettings(ports, settings, { actor, integration, to, ...change })),
    }),
  }),
]
