// What onboarding tells the platform about settings that were changed without a restart.
import { z } from 'zod'
import { WorkspaceName } from '../headers.ts'
import { ResourceName } from '../resource.ts'
import { NarrowPolicy } from './tool-policy.ts'

export const settingsFeedPath = '/internal/settings'

/** With `client`, for that client's logins at the connection. With `connection` alone, for the connection. Else for the tenant. */
const PlacedPolicy = NarrowPolicy.extend({
  workspace: WorkspaceName,
  connection: ResourceName.optional(),
  client: z.string().optional(),
})
export type PlacedPolicy = z.infer<typeof PlacedPolicy>

/** Entries as in the integrations file, without clients. Others have the entry of the file or of the catalogue. */
export const SettingsFeed = z.object({
  version: z.int().min(0),
  integrations: z.array(z.object({ id: z.string(), entry: z.record(z.string(), z.unknown()) })),
  policies: z.array(PlacedPolicy).default([]),
})
export type SettingsFeed = z.infer<typeof SettingsFeed>
