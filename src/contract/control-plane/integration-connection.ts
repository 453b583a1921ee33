import { z } from 'zod'
import { input, plain, ResourceName } from '../resource.ts'

const Spec = z.object({
  /** Name of the integration, `gmail` for example. */
  integration: ResourceName,
  /** What belongs to the account and is no secret: values that were typed or came with an answer, by their names in the profile. */
  config: z.record(z.string().min(1).max(128), z.string().max(1_024)).optional(),
  /**
   * `CLIENT_ID`, `CLIENT_SECRET` and `REFRESH_TOKEN` for an OAuth integration, or `ACCESS_TOKEN` instead of the last one
   * where access lasts without refreshing. Answers hold masks.
   */
  secret: z.record(z.string().min(1).max(128), z.string().max(16_384)),
})

/** Secrets that say where the others are sent to: the address of a model's API, as people and consoles name it. */
export const addressSecrets: readonly string[] = ['BASE_URL', 'BASEURL', 'baseUrl', 'URL', 'ENDPOINT']

export const IntegrationConnectionInput = input(Spec)
export type IntegrationConnectionInput = z.input<typeof IntegrationConnectionInput>

export const IntegrationConnection = plain(Spec)
export type IntegrationConnection = z.infer<typeof IntegrationConnection>
